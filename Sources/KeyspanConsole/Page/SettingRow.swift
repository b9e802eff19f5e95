#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The row of a key in the table.
struct SettingRow {
    private let setting: Setting

    /// Makes the row of a setting.
    init(of setting: Setting) {
        self.setting = setting
    }

    /// The element `tr`.
    var html: HTMLText {
        let row = setting.row
        let edit: HTMLText? =
            setting.isEditable
            ? #"<button type="button" class="edit" hidden aria-label="Change \#(row.name)">Change</button>"# : nil
        return #"""
            <tr role="row" data-key="\#(row.name.percentEncoded)" data-version="\#(setting.version.description)">
            <th role="rowheader" scope="row"><code>\#(row.name)</code>\#(row.summary.map { #"<p class="summary">\#($0)</p>"# as HTMLText })</th>
            <td role="cell" data-label="Value">\#(value)\#(edit)</td>
            <td role="cell" data-label="Type"><code>\#(row.type)</code></td>
            <td role="cell" data-label="Default">\#(content(row.defaultValue, readable: setting.readableDefault))</td>
            <td role="cell" data-label="Source">\#(source)</td>
            <td role="cell" data-label="Rule">\#(rule)</td>
            <td role="cell" data-label="Changed">\#(changed)</td>
            </tr>
            """#
    }

    /// The present value and its author in a sentence, for a person who has begun to change it.
    var notice: HTMLText {
        let author: HTMLText =
            switch setting.latest?.author {
            case let author?: " It was changed by \(author.person ?? "someone on another page")."
            case nil: ""
            }
        if case .secret = setting.row.value { return "<p>The secret has been changed meanwhile.\(author)</p>" }
        return "<p>The value is now \(value).\(author)</p>"
    }

    private var value: HTMLText {
        let shown = content(setting.row.value, readable: setting.readable)
        guard let readable = setting.readable, ValueText(readable).excerpt.isCut else { return shown }
        let bytes = ValueText(readable).text.utf8.count
        return
            #"\#(shown) <a href="value?key=\#(setting.key.name.percentEncoded)" target="_blank" rel="noopener">all \#(bytes) bytes</a>"#
    }

    private func content(
        _ content: Defaults.SettingsDescription.Content,
        readable: PropertyListValue?
    ) -> HTMLText {
        switch content {
        case .none: #"<span class="none">none</span>"#
        case .computed: #"<span class="none">computed</span>"#
        case .secret:
            #"<span class="secret"><span aria-hidden="true">••••••••</span><span class="hint">secret</span></span>"#
        case .unreadable(let reason): #"<span class="problem">unusable: \#(reason)</span>"#
        case .value(let value): ValueText(readable ?? value).html
        }
    }

    private var source: HTMLText {
        guard let provenance = setting.row.provenance else { return #"<span class="none">default</span>"# }
        return "\(provenance.description)"
    }

    private var rule: HTMLText {
        setting.row.requirements.isEmpty ? "" : "\(setting.row.requirements.joined(separator: ", "))"
    }

    private var changed: HTMLText {
        guard let latest = setting.latest else { return #"<span class="none" title="not since the start">—</span>"# }
        let author: HTMLText? = (latest.author?.person).map { " by \($0)" }
        return "\(TimeText.html(of: latest.date))\(author)"
    }
}

extension String {
    /// The text for a query (RFC 3986, section 2.3).
    var percentEncoded: String {
        utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
#endif
