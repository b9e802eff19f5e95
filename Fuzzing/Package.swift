// swift-tools-version: 6.2

import PackageDescription

// `run` builds it: it needs the flags `-sanitize=fuzzer,address` and `-enable-testing` for all targets, Keyspan's included.
let package = Package(
    name: "keyspan-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named, because the identity would otherwise be the name of the folder that this is checked out to.
        .package(name: "swift-keyspan", path: "..", traits: ["Remote"])
    ],
    targets: [
        .target(name: "CLibFuzzer"),
        .target(
            name: "LibFuzzer",
            dependencies: ["CLibFuzzer", .product(name: "KeyspanCore", package: "swift-keyspan")]
        ),
        .executableTarget(
            name: "FuzzArchive",
            dependencies: [
                "LibFuzzer",
                .product(name: "KeyspanCore", package: "swift-keyspan"),
                .product(name: "KeyspanUserDefaults", package: "swift-keyspan"),
            ]
        ),
        .executableTarget(
            name: "FuzzEvents",
            dependencies: ["LibFuzzer", .product(name: "KeyspanRemote", package: "swift-keyspan")]
        ),
        .executableTarget(
            name: "FuzzJSON",
            dependencies: ["LibFuzzer", .product(name: "KeyspanFileStore", package: "swift-keyspan")]
        ),
        .executableTarget(
            name: "FuzzJournal",
            dependencies: ["LibFuzzer", .product(name: "KeyspanFileStore", package: "swift-keyspan")]
        ),
        .executableTarget(
            name: "FuzzMessage",
            dependencies: [
                "LibFuzzer",
                .product(name: "KeyspanCore", package: "swift-keyspan"),
                .product(name: "KeyspanRemote", package: "swift-keyspan"),
            ]
        ),
        .executableTarget(
            name: "FuzzPropertyList",
            dependencies: ["LibFuzzer", .product(name: "KeyspanFileStore", package: "swift-keyspan")]
        ),
        .executableTarget(
            name: "FuzzText",
            dependencies: [
                "LibFuzzer",
                .product(name: "KeyspanCore", package: "swift-keyspan"),
                .product(name: "KeyspanFileStore", package: "swift-keyspan"),
                .product(name: "KeyspanTOML", package: "swift-keyspan"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CLibFuzzer" {
    // The same language as the library: see its manifest.
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
