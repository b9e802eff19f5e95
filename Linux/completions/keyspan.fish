function __keyspan_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __keyspan_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __keyspan_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __keyspan_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __keyspan_parse_tokens -S
    set -l unparsed_tokens (__keyspan_tokens -pc)
    switch $unparsed_tokens[1]
    case 'keyspan'
        __keyspan_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'read'
            __keyspan_parse_subcommand 2 'format=' 'version' 'h/help'
        case 'read-type'
            __keyspan_parse_subcommand 2 'version' 'h/help'
        case 'write'
            __keyspan_parse_subcommand -r 1 'version' 'h/help'
        case 'rename'
            __keyspan_parse_subcommand 3 'version' 'h/help'
        case 'delete'
            __keyspan_parse_subcommand 2 'version' 'h/help'
        case 'domains'
            __keyspan_parse_subcommand 0 'version' 'h/help'
        case 'find'
            __keyspan_parse_subcommand 1 'version' 'h/help'
        case 'import'
            __keyspan_parse_subcommand 2 'version' 'h/help'
        case 'export'
            __keyspan_parse_subcommand 2 'format=' 'version' 'h/help'
        case 'watch'
            __keyspan_parse_subcommand 2 'initial' 'version' 'h/help'
        case 'kept'
            __keyspan_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __keyspan_parse_subcommand 2 'format=' 'version' 'h/help'
            case 'restore'
                __keyspan_parse_subcommand 2 'number=' 'version' 'h/help'
            case 'discard'
                __keyspan_parse_subcommand 2 'number=' 'all' 'version' 'h/help'
            end
        case 'help'
            __keyspan_parse_subcommand -r 1 'version'
        end
    end
end

function __keyspan_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __keyspan_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __keyspan_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __keyspan_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__keyspan_tokens -p)
    if test -z "$(__keyspan_tokens -t)"
        set -l index (count (__keyspan_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'keyspan' -f
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'read' -d 'Print a value, a domain, or all domains.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'read-type' -d 'Print the kind of a value.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'write' -d 'Store a value under a key, or replace a whole domain.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'rename' -d 'Rename a key.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'delete' -d 'Remove a key, or a domain with all its keys.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'domains' -d 'Print the names of all domains, on one line with commas between them.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'find' -d 'Print the entries of all domains whose key or value contains a word.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'import' -d 'Replace a domain by the dictionary in a file.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'export' -d 'Write a domain to a file.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'watch' -d 'Print every change of a domain or key, one on a line, until interrupted.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'kept' -d 'List, restore or discard unreadable values that a program has replaced.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan read" -eq 1' -fka '(__keyspan_custom_completion ---completion read -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan read" -eq 2' -fka '(__keyspan_custom_completion ---completion read -- positional@1 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan read" format' -l 'format' -d 'The format.' -rfka 'text json plist'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan read" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan read" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan read-type" -eq 1' -fka '(__keyspan_custom_completion ---completion read-type -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan read-type" -eq 2' -fka '(__keyspan_custom_completion ---completion read-type -- positional@1 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan read-type" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan read-type" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan write" -ge 1' -fka '(__keyspan_custom_completion ---completion write -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan write" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan write" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan rename" -eq 1' -fka '(__keyspan_custom_completion ---completion rename -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan rename" -eq 2' -fka '(__keyspan_custom_completion ---completion rename -- positional@1 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan rename" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan rename" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan delete" -eq 1' -fka '(__keyspan_custom_completion ---completion delete -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan delete" -eq 2' -fka '(__keyspan_custom_completion ---completion delete -- positional@1 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan delete" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan delete" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan domains" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan domains" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan find" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan find" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan import" -eq 1' -fka '(__keyspan_custom_completion ---completion import -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan import" -eq 2' -F
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan import" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan export" -eq 1' -fka '(__keyspan_custom_completion ---completion export -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan export" -eq 2' -F
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan export" format' -l 'format' -d 'The format.' -rfka 'json xml binary'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan export" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan watch" -eq 1' -fka '(__keyspan_custom_completion ---completion watch -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan watch" -eq 2' -fka '(__keyspan_custom_completion ---completion watch -- positional@1 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan watch" initial' -l 'initial' -d 'Print the present values first.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan watch" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan watch" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept" -eq 1' -fa 'list' -d 'Print the kept values of a domain or key, one on a line.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept" -eq 1' -fa 'restore' -d 'Put a kept value back under its key.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept" -eq 1' -fa 'discard' -d 'Remove one or all kept values of a key permanently.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept list" -eq 1' -fka '(__keyspan_custom_completion ---completion kept list -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept list" -eq 2' -fka '(__keyspan_custom_completion ---completion kept list -- positional@1 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept list" format' -l 'format' -d 'The format.' -rfka 'text json plist'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept list" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept restore" -eq 1' -fka '(__keyspan_custom_completion ---completion kept restore -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept restore" -eq 2' -fka '(__keyspan_custom_completion ---completion kept restore -- positional@1 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept restore" number' -l 'number' -d 'The number that `keyspan kept` prints; the newest value if omitted.' -rfka ''
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept restore" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept restore" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept discard" -eq 1' -fka '(__keyspan_custom_completion ---completion kept discard -- positional@0 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_positional "keyspan kept discard" -eq 2' -fka '(__keyspan_custom_completion ---completion kept discard -- positional@1 (count (__keyspan_tokens -pc)) (__keyspan_tokens -tC))'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept discard" number' -l 'number' -d 'The number that `keyspan kept` prints.' -rfka ''
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept discard" all' -l 'all' -d 'Remove all kept values of the key.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept discard" version' -l 'version' -d 'Show the version.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan kept discard" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'keyspan' -n '__keyspan_should_offer_completions_for_flags_or_options "keyspan help" version' -l 'version' -d 'Show the version.'
