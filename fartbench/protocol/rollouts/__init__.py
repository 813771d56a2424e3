"""What a protocol says of long rollouts: scenarios, units, forms, metrics, experts, sampling.

No Django here.
"""
