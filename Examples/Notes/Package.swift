// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "notes",
    platforms: [.macOS(.v15)],
    dependencies: [
        // A package of your own names the address and a version in place of the path. The server needs the traits Console, Remote and
        // Service; RemoteHTTPClient, which includes Remote, is for the client notes-remote on Linux.
        .package(
            name: "swift-keyspan",
            path: "../..",
            traits: ["Configuration", "Console", "RemoteHTTPClient", "Service"]
        ),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: ["Reloading", "YAML"]),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.29.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
        // SwiftPM 6.3 does not find what only a trait of another package needs, here swift-configuration's YAML, unless it is named here.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        // The keys, written once: the server and its clients import this module, and it imports Keyspan alone.
        .target(
            name: "NotesShared",
            dependencies: [.product(name: "Keyspan", package: "swift-keyspan")],
            path: "Sources/notes-shared"
        ),
        .executableTarget(
            name: "notes-server",
            dependencies: [
                "NotesShared",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Keyspan", package: "swift-keyspan"),
                .product(name: "KeyspanConsole", package: "swift-keyspan"),
                .product(name: "KeyspanRemote", package: "swift-keyspan"),
                .product(name: "KeyspanService", package: "swift-keyspan"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "notes",
            dependencies: ["NotesShared", .product(name: "Keyspan", package: "swift-keyspan")]
        ),
        .executableTarget(
            name: "notes-remote",
            dependencies: [
                "NotesShared",
                .product(name: "Keyspan", package: "swift-keyspan"),
                .product(name: "KeyspanRemote", package: "swift-keyspan"),
            ]
        ),
        // A server of a publisher alone, without a framework.
        .target(
            name: "NIOPublisher",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "KeyspanRemote", package: "swift-keyspan"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/nio-publisher"
        ),
        // A library that knows nothing of Keyspan.
        .target(
            name: "Mailer",
            dependencies: [.product(name: "Configuration", package: "swift-configuration")],
            path: "Sources/mailer"
        ),
        .testTarget(
            name: "NotesTests",
            dependencies: [
                "Mailer",
                "NIOPublisher",
                "notes",
                "notes-remote",
                "notes-server",
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Keyspan", package: "swift-keyspan"),
                .product(name: "KeyspanConfiguration", package: "swift-keyspan"),
                .product(name: "KeyspanRemote", package: "swift-keyspan"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
