"""Names of spiking models where they were until 0.2; they go with 0.4."""
