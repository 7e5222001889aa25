"""GitHub as the forge: the only package that knows PyGithub."""
