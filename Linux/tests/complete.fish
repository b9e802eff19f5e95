#!/usr/bin/env fish
# Prints what fish offers for a command line that ends with the word to be completed, one candidate on a line:
# `complete.fish <completion script> 'keyspan rea'`.
source $argv[1]; or exit 1

# `complete -C` knows no cursor; it is at the end of the line.
function commandline
    if contains -- -tC $argv
        string length -- "$(builtin commandline -ct)"
    else
        builtin commandline $argv
    end
end

for candidate in (complete -C "$argv[2]")
    # The text behind a tab describes the candidate.
    string split -m 1 -f 1 \t -- $candidate
end
# The status above is that of the last split, which had nothing to split where there is no description.
exit 0
