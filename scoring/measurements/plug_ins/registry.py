"""Every plug-in, by the key that the table of metrics names. No Django here."""

from scoring.measurements.plug_ins import aesthetics, torch_models

PLUG_INS = {plug_in.key: plug_in for plug_in in (aesthetics.PLUG_IN, *torch_models.PLUG_INS)}
