#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The form in which a person changes the value of a key.
///
/// Its `data-form` is the ``SettingControl/Form`` of the control.
struct SettingEditor {
    private let setting: Setting
    private let view: SettingsView
    private let control: SettingControl

    /// Makes the form of a setting.
    init(of setting: Setting, in view: SettingsView) {
        self.setting = setting
        self.view = view
        control = SettingControl(for: setting)
    }

    /// The element `form`.
    var html: HTMLText {
        let name = setting.key.name
        return #"""
            <form class="editor" data-key="\#(name.percentEncoded)" data-version="\#(setting.version.description)" data-form="\#(control.form.rawValue)">
            <fieldset><legend>New value of <code>\#(name)</code></legend>
            \#(control.html)
            <p class="hint" id="\#(setting.hintID)">\#(hint)</p>\#(override)
            <div class="conflict" role="status" hidden></div>
            <p class="error" role="alert" hidden></p>
            <div class="actions"><button type="submit">Save</button>
            <button type="button" class="reset">Reset to default</button>
            <button type="button" class="cancel">Cancel</button></div>
            </fieldset></form>
            """#
    }

    private var hint: HTMLText {
        let row = setting.row
        let form =
            switch control.form {
            case .text: row.words.prefix(1).uppercased() + row.words.dropFirst()
            case .json: "JSON"
            case .list: "A list of texts, one in each line"
            }
        let rules = row.requirements.isEmpty ? "" : "; must be " + row.requirements.joined(separator: ", and ")
        let kept = row.isSecret ? " The present value is not shown." : ""
        return "\(form + rules + "." + kept)"
    }

    /// A note if what is written here is not what the program reads.
    private var override: HTMLText? {
        guard setting.isHidden, let provenance = setting.row.provenance else { return nil }
        let written = view.journal.store.writtenStore.name
        return #"""
            <p class="warning">The value comes from \#(provenance.description). A change is saved to \#(written), and takes effect
            where that does not decide.</p>
            """#
    }
}

extension Setting {
    /// The identifier of the explanation in the editor.
    var hintID: String { "hint-" + key.name.percentEncoded }
}
#endif
