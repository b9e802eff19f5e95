# shellcheck shell=bash
# What the checks share about the means that a machine has; they read this file.

# The exit status of a check for which the machine has no means.
readonly status_left_out=77

# Ends a check for which the machine has no means: `left_out "<what> (<why, and what to do>)"`.
left_out() {
    echo "left out: $1" >&2
    exit "$status_left_out"
}

# Installs Debian packages where that is possible; options of apt-get may stand among them.
install_packages() {
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
    # Other checks may be installing too.
    {
        apt-get update -qq &&
            DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5 install -qq -y "$@"
    } >/dev/null
}

# Whether there is a program, which is installed from a Debian package where that is possible.
need() {
    local program=$1 package=${2:-$1}
    command -v "$program" >/dev/null && return
    install_packages --no-install-recommends "$package" && command -v "$program" >/dev/null
}
