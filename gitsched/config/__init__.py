"""Settings and their parser: pure, from text to values.

`parse` turns the text of gitsched.toml into `settings.Settings` or refuses it with file, line and
key; `profiles` and `presets` say how an agent is started; `encoding` keeps a copy for a sealed batch;
`template` and `detect` write a first file.
"""
