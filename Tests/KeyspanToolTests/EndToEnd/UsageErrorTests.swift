import KeyspanTestSupport
import Testing

/// Arguments that cannot be understood: one line on standard error names the remedy, and nothing is changed.
@Suite(.heavy) struct UsageErrorTests {
    @Test(arguments: [
        ("--nope", "see `keyspan help`"), ("read app key extra", "see `keyspan help read`"),
        ("read --default x", "--default is for the read of one key"), ("read app --default x", "--default is for"),
        ("read app key --default", "see `keyspan help read`"), ("read app --output", "see `keyspan help read`"),
        ("read app --output yaml", "see `keyspan help read`"), ("read app --format yaml", "see `keyspan help read`"),
        ("read app --schema", "see `keyspan help read`"), ("read app --schema x --show-secrets", "use only one"),
        ("read app --show-secret", "did you mean '--show-secrets'?"), ("read a/b", "give a name without"),
        ("read .json", "or the path of a .json, .jsonc or .plist file"), ("read ''", "give a name without"),
        ("read ..", "give a name without"), ("get", "see `keyspan help get`"), ("get app", "see `keyspan help get`"),
        ("get app nope --default (a", "correct it"), ("read-type app", "see `keyspan help read-type`"),
        // Values
        ("write", "see `keyspan help write`"), ("write app", "see `keyspan help write`"),
        ("write app tls.port", "give one, or a dictionary"), ("write app -int 5", "as in `write domain key -int"),
        ("write app tls.port -int", "add it"), ("write app tls.port -int x", "give a whole number"),
        ("write app tls.port -nope x", "use -string"), ("write app key a b", "quote a value"),
        ("write app key (a", "correct it"), ("write app key -dict a", "alternately"),
        ("write app key -data abc", "even number"), ("write app key -array -dict", "'(a, b)'"),
        ("write app key -bool perhaps", "after -bool"), ("write app key -date 0", "date"), ("write app k - x", ";"),
        ("write .. key a", "give a name"), ("write ../app key a", "give a name"), ("write '' key a", "give a name"),
        ("write .app key a", "give a name"), ("write a/b key a", "give a name"), ("set", "`keyspan help set`"),
        ("set app", "`keyspan help set`"), ("set app '{a = 1;}'", "`keyspan help set`"),
        ("set app tls.port", "`keyspan help set`"), ("set app k --stdin -array", "Only -string"),
        ("incr", "see `keyspan help incr`"), ("incr app", "see `keyspan help incr`"),
        ("incr app tls.port x", "give one number"), ("incr app tls.port 1 2", "give one number"),
        ("incr app tls.port inf", "give one number"), ("incr app tls.port nan", "give one number"),
        ("incr app tls.port 18446744073709551616", "give"), ("incr app tls.port --by 2", "give one number"),
        ("incr app tls.port ''", "give one number"), ("rename app old", "see `keyspan help rename`"),
        // Names that begin with a hyphen
        ("get app -BuildVersion", "write `--` before a key"), ("get app -BuildVersion", "See `keyspan help get`."),
        ("get app -5", "Unknown option \"-5\""), ("read app -k", "`--`"), ("read-type app -k", "`--`"),
        ("delete app -k", "`--`"),
        ("watch app -k", "`--`"), ("rename app -k new", "`--`"), ("incr app -k", "`--`"), ("set app -k x", "`--`"),
        ("write app --all x", "Unknown option \"--all\""), ("find -k", "`--`"), ("kept app -k", "`--`"),
        ("kept restore app -k", "`--`"), ("kept discard app -k", "`--`"),
        // Other commands
        ("delete", "name one"), ("find", "see `keyspan help find`"), ("find a b", "see `keyspan help find`"),
        ("domains x", "see `keyspan help domains`"), ("diff app", "see `keyspan help diff`"), ("diff app", "second"),
        ("diff app b c", "c"), ("diff app ../b", "../b"), ("diff app b --output plist", "plist"),
        ("validate", "see `keyspan help validate`"), ("validate --schema ~/x", "see `keyspan help validate`"),
        ("validate app --schema", "see `keyspan help validate`"), ("validate app x", "see `keyspan help validate`"),
        ("edit", "see `keyspan help edit`"), ("edit ..", "give a name"), ("edit app key", "see `keyspan help edit`"),
        ("import app", "see `keyspan help import`"), ("export app", "see `keyspan help export`"),
        ("watch", "see `keyspan help watch`"), ("watch app key more", "see `keyspan help watch`"),
        ("kept", "see `keyspan help kept`"), ("kept app tls extra", "extra"), ("kept app --format yaml", "yaml"),
        ("kept restore app", "see `keyspan help kept`"), ("kept restore app", "<key>"),
        ("kept discard app", "with --all"),
        ("kept discard app k --all --value 1", "use only one"), ("kept discard app --value 1", "A key is missing"),
        ("kept restore app k --value", "see `keyspan help kept`"), ("kept restore app k --number 1", "--number"),
        // Help
        ("help nope", "`keyspan help`"), ("help read nope", "nope"), ("help kept nope", "nope"),
        ("help kept list nope", "nope"), ("help --nope", "`keyspan help`"), ("nope", "`keyspan help`"), ("-hx", "-hx"),
        // The word that was meant
        ("raed", "Unknown command `raed`; did you mean `read`?"), ("raed --help", "did you mean `read`?"),
        ("help wacth", "Unknown command `wacth`; did you mean `watch`?"),
        ("help kept restor", "Unknown command `restor`; did you mean `restore`?"),
        ("help --nope", "Unknown option '--nope'; see `keyspan help`."),
        ("xyzzy", "Unknown command `xyzzy`; `keyspan help` lists all commands."),
        ("read app --formt json", "did you mean '--format'?"), ("read app -output json", "did you mean '--output'?"),
        ("kept restore a k --valu 2", "did you mean '--value'?"), ("write app key -strin x", "did you mean -string?"),
        ("write app key --string x", "-string"),
        // Arguments of the macOS command
        ("read -g", "There is no global domain"), ("read -g", "name the domain of a program"),
        ("read -globalDomain key", "There is no global domain"), ("write -g key value", "There is no global domain"),
        ("delete NSGlobalDomain", "There is no global domain"), ("read -app Greeter", "give the name of the program"),
        ("write -app Greeter key value", "give the name of the program"), ("-host", "There are no settings by host"),
        ("-currentHost read app", "There are no settings by host"), ("read -host a", "There are no settings by host"),
        ("-host other read app", "There are no settings by host"),
        ("write -currentHost app key value", "There are no settings by host"),
    ])
    func `end with 64, and one line says what to do`(line: String, remedy: String) throws {
        let before = #"{"tls": {"port": 443}}"#
        let sandbox = try Sandbox(["app": before])
        try sandbox.refuse(line, remedy, status: 64)
        #expect(try sandbox.text(ofDomain: "app") == before)
        #expect(try sandbox.folder.names == ["keyspan"] && sandbox.files == ["app.json"])
    }

    @Test(arguments: ["get app #", "set app # -int x", "delete app #", "find # x", "#", "incr app # x", "kept app #"])
    func `repeat at most 60 characters of a word`(line: String) throws {
        let sandbox = try Sandbox(["app": "{}"])
        for letter in ["(", "\\"] {
            let run = try sandbox.run(line.replacing("#", with: String(repeating: letter, count: 40_000)))
            #expect(run.status != 0 && run.hasOneSentence && run.error.utf8.count < 400, "\(run.error.prefix(400))")
        }
    }

    @Test func `repeat a path whole`() throws {
        let path = "~/\(String(repeating: "folder/", count: 30))settings.json"
        try Sandbox().refuse("get \(path) key", path, status: 3)
    }
}
