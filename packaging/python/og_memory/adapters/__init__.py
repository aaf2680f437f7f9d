"""Tools of a memory in the formats of model providers, and loops that answer their calls."""
