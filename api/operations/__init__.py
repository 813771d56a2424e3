"""The operations, by what they are about. Each calls what the page of the same work calls."""
