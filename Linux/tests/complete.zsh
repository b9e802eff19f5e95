#!/usr/bin/env zsh
# Prints what zsh offers for a command line that ends with the word to be completed, one candidate on a line:
# `complete.zsh <folder of _keyspan> 'keyspan rea'`. zsh completes only in its line editor, so one runs in a
# pseudo terminal, where the function that takes candidates is replaced by one that also writes them down.
emulate -R zsh
setopt err_exit pipe_fail
zmodload zsh/zpty

readonly folder=$1 line=$2
work=$(mktemp -d)
trap 'rm -rf $work' EXIT

cat >$work/.zshrc <<'RC'
PS1= RPS1=
fpath=($COMPLETION_FOLDER $fpath)
autoload -Uz compinit
compinit -D -u
compadd() {
    if [[ ${@[(I)-[OAD]]} == 0 ]]; then
        local -a hits
        builtin compadd -A hits "$@"
        (($#hits)) && print -rl -- "${(Q)hits[@]}" >>$COMPLETION_WORK/candidates
    fi
    builtin compadd "$@"
}
# Not the common beginning of the candidates, but the list of them, and a mark when it is there.
offer() { zle list-choices; : >$COMPLETION_WORK/done }
zle -N offer
bindkey '^X' offer
: >$COMPLETION_WORK/ready
RC

# Waits for a file, for as long as only a failure takes, and empties the terminal meanwhile.
await() {
    local -i tries=600
    local output
    until [[ -e $work/$1 ]]; do
        ((tries--)) || { print -u2 "zsh did not answer within a minute"; exit 1 }
        zpty -r -t completed output '*' >/dev/null || sleep 0.1
    done
}

export COMPLETION_FOLDER=$folder COMPLETION_WORK=$work ZDOTDIR=$work TERM=dumb
# Without `exec` the trap above is that of the other one as well, and removes the folder too early.
zpty completed exec zsh -i
await ready
zpty -n -w completed "$line"$'\C-X'
await done
zpty -d completed
[[ -e $work/candidates ]] && cat $work/candidates
exit 0
