"""The model with populations of spiking neurons."""
