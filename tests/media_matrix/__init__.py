"""A matrix of small clips of every kind, each with what a viewer must see and hear of it."""
