# shellcheck shell=bash
# Runs stages and prints how long each took: .ci/run and .ci/deep source it, and define a function `run_<stage>` for each stage.
# shellcheck source=SCRIPTDIR/means.bash
source .ci/means.bash

# Runs stages one after the other, whatever became of those before, and prints a table at the end. The status is 1 if a stage failed,
# or if parts were left out and KEYSPAN_COMPLETE forbids that.
run_stages() {
    local stage begin seconds status sum=0 failed=()
    work=$(mktemp -d)
    readonly work
    trap 'rm -rf "$work"' EXIT
    for stage in "$@"; do
        echo "=== $stage"
        begin=$SECONDS
        set +e
        # Not in a condition, where the shell would go on after an error.
        (
            set -e
            "run_$stage"
        ) 2>&1 | tee "$work/$stage.log"
        status=${PIPESTATUS[0]}
        set -e
        # A filter that matches nothing would pass for ever.
        if grep -q 'Test run with 0 tests' "$work/$stage.log"; then status=1; fi
        # A check that is left out says so; other programs may end with that status as well.
        if [[ $status == "$status_left_out" ]] && ! grep -q '^left out: ' "$work/$stage.log"; then status=1; fi
        seconds=$((SECONDS - begin))
        sum=$((sum + seconds))
        echo "=== $stage took $seconds s"
        case $status in
            0) status=passed ;;
            "$status_left_out") status='left out' ;;
            *) status=FAILED failed+=("$stage") ;;
        esac
        printf '%-12s%8s s  %s\n' "$stage" "$seconds" "$status" >>"$work/summary"
        sed -n 's/^left out: ./    &/p' "$work/$stage.log" >>"$work/summary"
    done
    printf '%-12s%8s s\n' all "$sum" >>"$work/summary"
    echo "=== summary"
    cat "$work/summary"
    [[ ${#failed[@]} == 0 ]] || echo "failed: ${failed[*]}; each runs alone by its name, as in $0 ${failed[0]}" >&2
    if [[ ${KEYSPAN_COMPLETE:-0} != 0 ]] && grep -q 'left out' "$work/summary"; then
        echo "parts were left out, which KEYSPAN_COMPLETE forbids" >&2
        failed+=(complete)
    fi
    # The closing line of the test runner comes last: that of the first stage that has one.
    for stage in "$@"; do
        grep -E 'Test run with [0-9]+ tests' "$work/$stage.log" | tail -n 1 | grep . && break
    done
    [[ ${#failed[@]} == 0 ]]
}

# Ends the program unless all words after `--` are among those before it.
require_stages() {
    local known=() word
    while [[ $1 != -- ]]; do known+=("$1") && shift; done
    shift
    for word; do
        [[ " ${known[*]} " == *" $word "* ]] || { echo "no stage $word; the stages are: ${known[*]}" >&2; exit 64; }
    done
}

# The test targets of the modules behind traits.
trait_targets="KeyspanConfigurationTests KeyspanConsoleTests KeyspanEtcdTests KeyspanRemoteTests KeyspanServiceTests"
# Those that test more with traits than without.
trait_targets+=" KeyspanTextFormatTests KeyspanToolTests"

# Tests the modules behind traits, all of which are built once: `test_with_traits [option of swift test]...`.
test_with_traits() {
    KEYSPAN_TEST_TARGETS=$trait_targets swift test --enable-all-traits --scratch-path .build-traits "$@"
}

# The programs that the tests on a cluster start.
need_cluster() {
    need etcd etcd-server && need etcdctl etcd-client ||
        echo "left out: the tests on a cluster (etcd is not installed; apt-get install etcd-server etcd-client)"
    # A name of this process: another check may be trying the same.
    if ! need ip iproute2 || ! need iptables || ! ip netns add "keyspan-probe-$BASHPID" 2>/dev/null; then
        echo "left out: the tests of cut networks (they need root, ip, iptables, and a system that allows network namespaces)"
    else
        ip netns delete "keyspan-probe-$BASHPID"
    fi
}
