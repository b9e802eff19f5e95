# shellcheck shell=bash
# Functions that the shell scripts source; .ci/means.py has those of the Python programs.

# The exit status of a check for which the machine has no means.
readonly status_left_out=77

# Ends a check for which the machine has no means: `left_out "<what> (<why, and what to do>)"`.
left_out() {
    echo "left out: $1" >&2
    exit "$status_left_out"
}

# Prints the units that systemd starts with the machine.
enabled_units() {
    find /etc/systemd/system -path '*.wants/*' -printf '%f\n' | sort -u
}

# Installs Debian packages where that is possible, and says so; options of apt-get may stand among them. They stay installed. A daemon
# among them, such as nginx or etcd, is started by the tests that need it, and neither by its package nor with the machine.
install_packages() (
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || exit 1
    local policy=/usr/sbin/policy-rc.d lock units
    # Other checks may be installing too.
    exec {lock}</var/lib/dpkg
    flock --timeout 300 "$lock" || {
        echo "other checks have been installing packages for 5 minutes; see what apt-get is waiting for" >&2
        exit 1
    }
    echo "installing packages of Debian: $(printf '%s\n' "$@" | grep -v '^-' | paste -sd ' ')" >&2
    # Packages ask this program before they start a service. One that others have made stays; one that an ended check has left goes.
    if [[ ! -e $policy ]] || grep -q '^# Keyspan' "$policy"; then
        trap 'rm -f "$policy"' EXIT
        printf '#!/bin/sh\n# Keyspan is installing packages for its checks, without their services.\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    [[ ! -d /run/systemd/system ]] || units=$(enabled_units)
    # Without the lock's descriptor: a program that they start and leave running would keep the lock.
    {
        apt-get update -qq {lock}<&- &&
            DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5 install -qq -y "$@" {lock}<&-
    } >/dev/null || exit 1
    [[ ! -d /run/systemd/system ]] ||
        comm -13 <(echo "$units") <(enabled_units) | xargs --no-run-if-empty systemctl --quiet disable || true
)

# Whether there is a program, which is installed from a Debian package where that is possible.
need() {
    local program=$1 package=${2:-$1}
    command -v "$program" >/dev/null && return
    install_packages --no-install-recommends "$package" && command -v "$program" >/dev/null
}

# Whether Python can import something, which is installed from a Debian package where that is possible.
need_python() {
    local import=$1 package=$2
    python3 -c "$import" 2>/dev/null && return
    install_packages --no-install-recommends "$package" && python3 -c "$import" 2>/dev/null
}

# Prints the folder of the toolchain that `swift` belongs to, which has bin/swift.
toolchain_folder() {
    local swift
    swift=$(readlink -f "$(command -v swift)")
    echo "${swift%/bin/*}"
}

# Prints the folders of this machine that git takes repositories from in place of addresses.
package_folders() {
    local folder
    while IFS= read -r folder; do
        [[ ! -d $folder ]] || echo "${folder%/}"
    done < <(git config --get-regexp '^url\..*\.insteadof$' | sed -nE 's/^url\.(file:\/\/)?(.*)\.insteadof .*/\2/p' | sort -u)
}

# Writes a configuration of git for a system that is made here: what it takes in place of addresses, and that folders may
# belong to somebody else, as those that are shared with it do.
write_git_configuration() {
    local file=$1 name value
    git config --get-regexp '^url\..*\.insteadof$' | while read -r name value; do
        git config --file "$file" --add "$name" "$value"
    done || true
    git config --file "$file" --add safe.directory '*'
}
