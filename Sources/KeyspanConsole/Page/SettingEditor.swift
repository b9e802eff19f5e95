@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The form in which a person changes the value of a key.
///
/// Its `data-form` says what the control's text is: a text that is converted as a variable would be, JSON, or a list with a control for each
/// element.
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
            <form class="editor" data-key="\#(name)" data-version="\#(setting.version.description)" data-form="\#(control.form)">
            <fieldset><legend>New value of <code>\#(name)</code></legend>
            \#(control.html)
            <p class="hint">\#(hint)</p>\#(override)
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
        let words = row.words.prefix(1).uppercased() + row.words.dropFirst()
        let rules = row.requirements.isEmpty ? "" : "; must be " + row.requirements.joined(separator: ", and ")
        let kept = row.isSecret ? " The present value is not shown." : ""
        return "\(words + rules + "." + kept)"
    }

    /// A note if what is written here is not what the program reads.
    private var override: HTMLText? {
        let store = view.journal.store
        let written = store.writtenStore
        guard written !== store else { return nil }
        let isHidden = setting.key.entryNames.contains { name in
            guard let seen = store.storedValue(forKey: name) else { return false }
            return written.storedValue(forKey: name) != seen
        }
        guard isHidden, let provenance = setting.row.provenance else { return nil }
        return #"""
            <p class="warning">The value comes from \#(provenance.description). A change is saved to \#(written.name), and takes effect
            where that does not decide.</p>
            """#
    }
}

/// The control for a key's values.
struct SettingControl {
    /// The control.
    let html: HTMLText
    /// The kind of its text: `text`, `json` or `list`.
    let form: String

    private static let longText = 60

    /// Chooses the control by the type and the rules of the key.
    init(for setting: Setting) {
        let row = setting.row
        let schemas = Array(row.schemas)
        let schema = schemas.count == 1 ? schemas[0].value : [:]
        let present = setting.readable ?? setting.readableDefault
        let name: HTMLText = #"name="value" aria-label="New value of \#(row.name)""#
        if row.isSecret {
            // A text, whatever the type: the present form of the value is not known here.
            form = schema["type"] == "object" || schemas.count > 1 ? "json" : "text"
            html = #"<input type="password" autocomplete="new-password" \#(name) value="">"#
            return
        }
        if row.isFlag {
            let isOn = present == true
            form = "text"
            html = #"""
                <label class="switch"><input type="checkbox" role="switch" \#(name)\#(isOn ? " checked" as HTMLText : "")> On</label>
                """#
            return
        }
        if let choices = Self.choices(of: setting, schema) {
            form = "text"
            let text = present.map { ValueText($0).text }
            let options = choices.map { choice -> HTMLText in
                #"<option value="\#(choice)"\#(choice == text ? " selected" as HTMLText : "")>\#(choice)</option>"#
            }
            html = "<select \(name)>\(options)</select>"
            return
        }
        switch schema["type"] {
        case "integer":
            form = "text"
            html = Self.number(schema, step: "1", name, present)
        case "number":
            form = "text"
            html = Self.number(schema, step: "any", name, present)
        case "array" where Self.isListOfTexts(present):
            form = "list"
            html = Self.list(name, present)
        case "string":
            let text = present?.stringValue ?? present.map { ValueText($0).text } ?? ""
            form = text.unicodeScalars.contains(where: \.isUnsafeInHTML) ? "json" : "text"
            html = form == "json" ? Self.json(name, present) : Self.text(name, text)
        default:
            if case .string(let text)? = present, !text.unicodeScalars.contains(where: \.isUnsafeInHTML) {
                form = "text"
                html = Self.text(name, text)
            } else if case .date(let date)? = present {
                form = "text"
                html = Self.text(name, DateText.text(for: date.timeIntervalSinceReferenceDate) ?? "")
            } else if present == nil, schemas.count == 1, schema.isEmpty || schema["type"] != "object" {
                form = "text"
                html = Self.text(name, "")
            } else {
                form = "json"
                html = Self.json(name, present)
            }
        }
    }

    /// The values that the type or a rule permits, in the form in which people write them.
    private static func choices(of setting: Setting, _ schema: PropertyListDictionary) -> [String]? {
        guard case .array(let values)? = schema["enum"] else { return nil }
        var choices: [String] = []
        for value in values {
            let text = ValueText(setting.key.readableForm(of: StoredValue(value)) ?? value).text
            if !choices.contains(where: { $0.hasSameUTF8(as: text) }) { choices.append(text) }
        }
        return choices
    }

    private static func number(
        _ schema: PropertyListDictionary,
        step: HTMLText,
        _ name: HTMLText,
        _ present: PropertyListValue?
    ) -> HTMLText {
        let bounds = [("min", schema["minimum"]), ("max", schema["maximum"])].map { bound, value -> HTMLText in
            guard let value else { return "" }
            return #" \#(bound)="\#(ValueText(value).text)""#
        }
        let text = present.map { ValueText($0).text } ?? ""
        return #"<input type="number" inputmode="decimal" step="\#(step)"\#(bounds) \#(name) value="\#(text)">"#
    }

    private static func text(_ name: HTMLText, _ text: String) -> HTMLText {
        // An input drops line feeds.
        guard text.utf8.count > longText || text.utf8.contains(UInt8(ascii: "\n")) else {
            return #"<input type="text" \#(name) value="\#(text)" spellcheck="false" autocapitalize="off">"#
        }
        // The first line feed of the content is dropped.
        return "<textarea rows=\"6\" \(name) spellcheck=\"false\">\n\(text)</textarea>"
    }

    private static func json(_ name: HTMLText, _ present: PropertyListValue?) -> HTMLText {
        let text = present.map { String(decoding: JSONText.encodeUnchecked($0), as: UTF8.self) } ?? ""
        return "<textarea rows=\"8\" class=\"json\" \(name) spellcheck=\"false\">\n\(text.escapedForJSON)</textarea>"
    }

    private static func isListOfTexts(_ present: PropertyListValue?) -> Bool {
        guard case .array(let elements)? = present else { return false }
        return elements.allSatisfy { $0.stringValue.map { !$0.unicodeScalars.contains { $0 == "\n" || $0.isUnsafeInHTML } } ?? false }
    }

    private static func list(_ name: HTMLText, _ present: PropertyListValue?) -> HTMLText {
        guard case .array(let elements)? = present else { return "" }
        let items = elements.map { element -> HTMLText in
            #"""
            <li><input type="text" \#(name) value="\#(element.stringValue ?? "")" spellcheck="false">
            <button type="button" class="remove">Remove</button></li>
            """#
        }
        return #"<ul class="list">\#(items)</ul><button type="button" class="add">Add an element</button>"#
    }
}

extension String {
    /// JSON with escapes for the characters that a page cannot have in a control.
    fileprivate var escapedForJSON: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            guard scalar.isUnsafeInHTML else { return result.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
