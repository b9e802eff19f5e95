#if Console
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The control for a key's values.
struct SettingControl {
    /// The control.
    let html: HTMLText
    /// The form of the text that it gives.
    let form: Form

    /// The form of a control's text.
    enum Form: String {
        /// A text that is converted as a variable would be.
        case text
        /// JSON.
        case json
        /// The elements of a list of texts, each in a control of its own.
        case list
    }

    private static let longText = 60

    /// Chooses the control by the type and the rules of the key, and by its present value.
    init(for setting: Setting) {
        let row = setting.row
        let schemas = Array(row.schemas)
        let schema = schemas.count == 1 ? schemas[0].value : [:]
        let present = setting.edited ?? setting.readableDefault
        let name: HTMLText =
            #"name="value" aria-label="New value of \#(row.name)" aria-describedby="\#(setting.hintID)""#
        if row.isSecret {
            // The present form of the value is not known here.
            form = Self.needsJSON(schema) ? .json : .text
            // Unlike a password's input it keeps line feeds, and browsers offer nothing for it.
            html = #"<textarea rows="2" class="secret" autocomplete="off" spellcheck="false" \#(name)></textarea>"#
        } else if row.isFlag, present == nil {
            form = .text
            html = Self.selection(name, of: ["true", "false"], selected: nil)
        } else if row.isFlag {
            form = .text
            let checked: HTMLText = present == true ? " checked" : ""
            html = #"<label class="switch"><input type="checkbox" role="switch" name="value"\#(checked)> On</label>"#
        } else if let choices = Self.choices(of: setting, schema) {
            form = .text
            html = Self.selection(name, of: choices, selected: present.map { ValueText($0).text })
        } else if let step = Self.step(of: schema), present?.realValue?.isFinite != false {
            form = .text
            html = Self.number(schema, step: step, name, present)
        } else if schema["type"] == "array", let elements = Self.lines(of: present ?? []),
            schema["items"]?.dictionaryValue?["type"] == "string"
        {
            form = .list
            html = Self.list(name, elements)
        } else if let text = Self.text(of: present, schema) {
            form = .text
            html = Self.text(name, text)
        } else {
            form = .json
            html = Self.json(name, present)
        }
    }

    /// Whether a value has no form that is text.
    private static func needsJSON(_ schema: PropertyListDictionary) -> Bool {
        schema["type"] == nil && !allowsText(schema)
    }

    private static func allowsText(_ schema: PropertyListDictionary) -> Bool {
        guard case .array(let parts)? = schema["anyOf"] else { return false }
        return parts.contains { $0.dictionaryValue?["type"] == "string" }
    }

    /// The text of a value that people write as text; `nil` for another one, and if a control cannot have it.
    private static func text(of present: PropertyListValue?, _ schema: PropertyListDictionary) -> String? {
        switch present {
        case .string(let text)?: text.unicodeScalars.contains(where: \.isUnsafeInHTML) ? nil : text
        case .date(let date)?: DateText.text(for: date.timeIntervalSinceReferenceDate)
        case .boolean?, .integer?, .real?: present.map { ValueText($0).text }
        case .data?, .array?, .dictionary?: nil
        case nil: needsJSON(schema) || schema["type"] == "array" ? nil : ""
        }
    }

    /// The elements of a list that have a line each; `nil` if one of them cannot be edited as a line.
    private static func lines(of value: PropertyListValue) -> [String]? {
        guard case .array(let elements) = value else { return nil }
        let lines = elements.compactMap(\.stringValue)
        let isPlain = lines.allSatisfy { line in !line.unicodeScalars.contains { $0 == "\n" || $0.isUnsafeInHTML } }
        return isPlain && lines.count == elements.count ? lines : nil
    }

    /// The step of a number's control; `nil` for other values, and for decimal numbers, which binary ones do not represent.
    private static func step(of schema: PropertyListDictionary) -> HTMLText? {
        switch schema["type"] {
        case "integer": "1"
        case "number", ["number", "object"]: "any"
        default: nil
        }
    }

    /// The values that the type or a rule permits, in the form in which people write them.
    private static func choices(of setting: Setting, _ schema: PropertyListDictionary) -> [String]? {
        guard case .array(let values)? = schema["enum"] else { return nil }
        var choices: [String] = []
        for value in values {
            let text = ValueText(setting.key.readableForm(of: StoredValue(value)) ?? value).text
            if text.unicodeScalars.contains(where: \.isUnsafeInHTML) { return nil }
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
        // The keyboards of some phones have no minus for decimal input.
        let isSigned = schema["minimum"].map { ValueText($0).text.hasPrefix("-") } ?? true
        let mode: HTMLText = isSigned ? "" : #" inputmode="decimal""#
        return #"<input type="number"\#(mode) step="\#(step)"\#(bounds) \#(name) value="\#(text)">"#
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

    private static func selection(_ name: HTMLText, of choices: [String], selected: String?) -> HTMLText {
        let isKnown = choices.contains { selected?.hasSameUTF8(as: $0) == true }
        let none: HTMLText? = isKnown ? nil : #"<option value="" disabled selected>not set</option>"#
        let options = choices.map { choice -> HTMLText in
            let mark: HTMLText = selected?.hasSameUTF8(as: choice) == true ? " selected" : ""
            return #"<option value="\#(choice)"\#(mark)>\#(choice)</option>"#
        }
        return "<select \(name)>\(none)\(options)</select>"
    }

    private static func list(_ name: HTMLText, _ elements: [String]) -> HTMLText {
        let items = elements.map { element -> HTMLText in
            #"""
            <li><input type="text" \#(name) value="\#(element)" spellcheck="false">
            <button type="button" class="remove">Remove</button></li>
            """#
        }
        return #"<ul class="list">\#(items)</ul><button type="button" class="add">Add an element</button>"#
    }
}
#endif
