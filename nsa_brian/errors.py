"""What can be wrong with a model."""


class ModelError(ValueError):
    """A model that makes no sense, or comes to nothing; the message says where and why."""
