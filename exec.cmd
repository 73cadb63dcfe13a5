@rem The npm scripts begin with `exec`, so that a signal to npm reaches the command and not a shell in between. The shell of Windows has no such
@rem word; it looks in this folder first, where npm runs the scripts, and finds this file: it runs what stands behind the word.
@%*
