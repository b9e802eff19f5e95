/// A history as a text with one event a line, sorted by time, for the closing note of a test run.
package struct HistoryTable: CustomStringConvertible {
    private struct Row {
        let time: UInt64
        let name: String
        let text: String
    }

    private let history: RecordedHistory
    private let revisionOfTag: [String: Int64]

    /// Prepares the text of a history.
    package init(_ history: RecordedHistory) {
        self.history = history
        let tags = Set(history.calls.compactMap(\.tag))
        var revisionOfTag: [String: Int64] = [:]
        for revision in history.truth.revisions {
            for case (let key, .some) in revision.events where tags.contains(key) {
                revisionOfTag[key] = revision.revision
            }
        }
        self.revisionOfTag = revisionOfTag
    }

    package var description: String {
        let truth = history.truth
        let last = truth.revisions.last?.revision ?? truth.startRevision
        let rows = (callRows + observerRows + readerRows).sorted { ($0.time, $0.name) < ($1.time, $1.name) }
        let origin = rows.first?.time ?? 0
        let width = rows.map(\.name.count).max() ?? 0
        var lines = [
            "History of seed \(history.seed): \(history.calls.count) calls, \(history.observers.count) observers, "
                + "\(history.readers.count) readers, revisions \(truth.startRevision) to \(last). Times in microseconds."
        ]
        for row in rows {
            let time = row.time - origin
            let fraction = String(time % 1_000 + 1_000).dropFirst()
            let name = row.name + String(repeating: " ", count: width - row.name.count)
            lines.append("\(padded("\(time / 1_000).\(fraction)", to: 14))  \(name)  \(row.text)")
        }
        lines.append("Cluster at revision \(truth.startRevision): \(list(truth.start))")
        lines += truth.revisions.map { "Revision \($0.revision): \(list($0.events))" }
        return lines.joined(separator: "\n")
    }

    // MARK: Rows

    private var callRows: [Row] {
        history.calls.flatMap { call in
            var rows = [
                Row(time: call.invoked, name: call.client, text: "\(call.id) on \(call.store): \(text(call.kind))")
            ]
            if let returned = call.returned {
                let revision = call.tag.flatMap { revisionOfTag[$0] }.map { ", in revision \($0)" } ?? ""
                let result = call.result.map { ", wrote \($0)" } ?? ""
                rows.append(
                    Row(time: returned, name: call.client, text: "\(call.id) \(text(call.outcome))\(result)\(revision)")
                )
            }
            return rows
        }
    }

    private var observerRows: [Row] {
        history.observers.flatMap { observer in
            let revision = observer.startRevision.map { " of revision \($0)" } ?? ""
            let start = Row(
                time: observer.began,
                name: observer.name,
                text: "observes \(observer.store) from the snapshot\(revision): \(list(observer.start))"
            )
            return [start]
                + observer.changes.enumerated().map { offset, change in
                    let values = change.values.sorted { $0.key < $1.key }
                        .map { "\($0.key): \($0.value.old ?? "-") → \($0.value.new ?? "-")" }
                        .joined(separator: ", ")
                    let reason = change.listsAnew ? " (listed anew)" : ""
                    return Row(time: change.time, name: observer.name, text: "change \(offset)\(reason) \(values)")
                }
        }
    }

    private var readerRows: [Row] {
        history.readers.flatMap { reader in
            var last: ReadContent?
            return reader.reads.enumerated().compactMap { offset, read -> Row? in
                // Most reads repeat the one before them, and would hide the rest of the history.
                guard read.content != last else { return nil }
                last = read.content
                return Row(time: read.began, name: reader.name, text: "read \(offset) \(text(read.content))")
            }
        }
    }

    // MARK: Texts

    private func text(_ kind: CallKind) -> String {
        switch kind {
        case .write(let batch): (batch.removesAll ? "remove all, " : "") + "write \(list(batch.changes))"
        case .compareAndSet(let key, let expected, let new):
            "set \(key) to \(new ?? "-") if it is \(expected ?? "-")"
        case .increment(let key): "increment \(key)"
        }
    }

    private func text(_ outcome: CallOutcome) -> String {
        switch outcome {
        case .acknowledged: "acknowledged"
        case .refused(.conflict): "refused: conflict"
        case .refused(.other): "refused"
        case .unknown: "unknown"
        }
    }

    private func text(_ content: ReadContent) -> String {
        switch content {
        case .snapshot(let table): "\(list(table))"
        case .digest(let digest): "a table with digest \(digest)"
        case .value(let key, let value): "\(key)=\(value ?? "-")"
        }
    }

    private func list(_ values: [String: String?]) -> String {
        values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value ?? "-")" }.joined(separator: " ")
    }

    private func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension History: CustomStringConvertible {
    package var description: String { recorded.description }
}

extension RecordedHistory: CustomStringConvertible {
    package var description: String { HistoryTable(self).description }
}
