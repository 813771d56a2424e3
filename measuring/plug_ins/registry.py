"""Every plug-in, by the key that the table of metrics names. No Django here."""

from measuring.plug_ins import aesthetics, alignment, background, production, subject, synchrony

PLUG_INS = {
    module.PLUG_IN.key: module.PLUG_IN
    for module in (aesthetics, production, alignment, synchrony, subject, background)
}
