# To be sourced by the scripts that type-check the Swift samples: in the README and the articles, where the samples of one
# document make one program, and in the documentation comments, where those of one source file do.
# shellcheck shell=bash

# Prints the files that may have samples which compile on every system, or those of the targets for Apple's systems only.
sampled_files() {
    local scope=$1 apple_only='^Sources/KeyspanUI/'
    case $scope in
        everywhere) git ls-files '*.md' 'Sources/*.swift' | grep -Ev "$apple_only" || true ;;
        apple) git ls-files '*.md' 'Sources/*.swift' | grep -E "$apple_only" || true ;;
    esac
}

# Prints the ```swift blocks of a file, each under a line that keeps the file's line numbers in errors. `mark` is what stands
# before each line of a sample. A block that begins with "// In Package.swift" is a part of a manifest and left out.
samples() {
    awk -v file="$1" -v mark="$2" '
        { if (sub("^ *" mark, "") == 0 && mark != "") { inside = 0; next } }
        /^```swift$/ { inside = 1; first = 1; next }
        /^```/ { if (inside) print "#sourceLocation()"; inside = 0; next }
        inside && first && /In Package.swift/ { inside = 0; next }
        inside && first { print "#sourceLocation(file: \"" file "\", line: " NR ")"; first = 0 }
        inside { print }
    ' "$1"
}

# Writes the program that the samples of a file make, and fails if it has none.
write_sample_program() {
    local file=$1 program=$2 mark='' prelude=/dev/null text
    if [[ $file == *.swift ]]; then
        mark='/// ?'
        prelude=.ci/sample-prelude.swift
        [[ $file != Sources/KeyspanUI/* ]] || prelude=.ci/sample-prelude-ui.swift
    fi
    text=$(samples "$file" "$mark")
    [[ -n $text ]] || return 1
    { cat "$prelude"; echo "$text"; } >"$program"
}
