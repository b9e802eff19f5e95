// swift-tools-version: 6.2

import PackageDescription

// The Swift Package Index sets this variable when it builds documentation, and asks for no traits. A user of this package, whose
// documentation it builds, has it as a checkout.
let documentsAllModules =
    Context.environment["SPI_GENERATE_DOCS"] != nil && !Context.packageDirectory.contains("/checkouts/")

let package = Package(
    name: "swift-keyspan",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Keyspan", targets: ["Keyspan"]),
        .library(name: "KeyspanCore", targets: ["KeyspanCore"]),
        .library(name: "KeyspanFileStore", targets: ["KeyspanFileStore"]),
        .library(name: "KeyspanUI", targets: ["KeyspanUI"]),
        .library(name: "KeyspanUserDefaults", targets: ["KeyspanUserDefaults"]),
        .library(name: "KeyspanTesting", targets: ["KeyspanTesting"]),
        .library(name: "KeyspanTOML", targets: ["KeyspanTOML"]),
        .library(name: "KeyspanYAML", targets: ["KeyspanYAML"]),
        .library(name: "KeyspanConfiguration", targets: ["KeyspanConfiguration"]),
        .library(name: "KeyspanService", targets: ["KeyspanService"]),
        .library(name: "KeyspanConsole", targets: ["KeyspanConsole"]),
        .library(name: "KeyspanEtcd", targets: ["KeyspanEtcd"]),
        .library(name: "KeyspanRemote", targets: ["KeyspanRemote"]),
        .executable(name: "keyspan", targets: ["KeyspanTool"]),
    ],
    // Without its trait, a module is empty and its dependency is neither fetched nor built.
    traits: [
        .trait(
            name: "Configuration",
            description: "swift-configuration, both ways: the module KeyspanConfiguration"
        ),
        .trait(
            name: "Service",
            description: "swift-log, swift-metrics and swift-service-lifecycle: the module KeyspanService"
        ),
        .trait(name: "Etcd", description: "A prefix of an etcd cluster as a store: the module KeyspanEtcd, with gRPC"),
        .trait(
            name: "Console",
            description:
                "A page with the settings of a running program: the module KeyspanConsole, with swift-http-types"
        ),
        .trait(
            name: "Remote",
            description:
                "Signed settings from a server: the module KeyspanRemote, with swift-http-types, and swift-crypto on Linux"
        ),
        .trait(
            name: "RemoteHTTPClient",
            description: "AsyncHTTPClient as the transport of the module KeyspanRemote on Linux",
            enabledTraits: ["Remote"]
        ),
        .trait(name: "YAML", description: "YAML files as layers: the module KeyspanYAML, with Yams"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        // Its default trait is for URLs of Foundation.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.12.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.40.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.0"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.0"),
        // Its default trait needs full Foundation.
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.38.0", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .target(
            name: "KeyspanCore",
            dependencies: [
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ]
        ),
        .target(name: "KeyspanFileStore", dependencies: ["KeyspanCore"]),
        .target(
            name: "Keyspan",
            dependencies: [
                "KeyspanCore",
                "KeyspanFileStore",
                // Where `UserDefaults` is the platform's own, it is the standard store.
                .target(
                    name: "KeyspanUserDefaults",
                    condition: .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS])
                ),
            ]
        ),
        // Full Foundation, with ICU on Linux: there `Keyspan` and the tool do without it.
        .target(name: "KeyspanUserDefaults", dependencies: ["KeyspanCore", "KeyspanFileStore"]),
        // SwiftUI, Combine, AppKit and UIKit, where they are: a key module that is shared with a server imports `Keyspan`.
        .target(
            name: "KeyspanUI",
            dependencies: [
                "Keyspan",
                "KeyspanCore",
                .target(
                    name: "KeyspanUserDefaults",
                    condition: .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS])
                ),
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(name: "KeyspanTesting", dependencies: ["Keyspan", "KeyspanCore"]),
        .target(name: "KeyspanTOML", dependencies: ["KeyspanCore", "KeyspanFileStore"]),
        .target(
            name: "KeyspanYAML",
            dependencies: [
                "KeyspanCore",
                "KeyspanFileStore",
                .product(name: "Yams", package: "Yams", condition: .when(traits: ["YAML"])),
            ]
        ),
        .target(
            name: "KeyspanConfiguration",
            dependencies: [
                "KeyspanCore",
                .product(
                    name: "Configuration",
                    package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])
                ),
            ]
        ),
        .target(
            name: "KeyspanService",
            dependencies: [
                "KeyspanCore",
                "KeyspanFileStore",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Service"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Service"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])
                ),
                .product(
                    name: "UnixSignals",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])
                ),
            ]
        ),
        .target(
            name: "KeyspanEtcd",
            dependencies: [
                "KeyspanCore",
                "KeyspanFileStore",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Etcd"])),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix",
                    package: "grpc-swift-nio-transport",
                    condition: .when(traits: ["Etcd"])
                ),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["Etcd"])),
                .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Etcd"])),
            ],
            exclude: ["Protocol/etcd.proto", "Protocol/generate"]
        ),
        .target(
            name: "KeyspanConsole",
            dependencies: [
                "KeyspanCore",
                "KeyspanFileStore",
                .product(name: "DequeModule", package: "swift-collections", condition: .when(traits: ["Console"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Console"])),
            ]
        ),
        .target(
            name: "KeyspanRemote",
            dependencies: [
                "KeyspanCore",
                "KeyspanFileStore",
                .product(
                    name: "AsyncHTTPClient",
                    package: "async-http-client",
                    condition: .when(platforms: [.linux], traits: ["RemoteHTTPClient"])
                ),
                .product(
                    name: "Crypto",
                    package: "swift-crypto",
                    condition: .when(platforms: [.linux], traits: ["Remote"])
                ),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Remote"])),
                .product(
                    name: "NIOCore",
                    package: "swift-nio",
                    condition: .when(platforms: [.linux], traits: ["RemoteHTTPClient"])
                ),
                .product(
                    name: "NIOHTTP1",
                    package: "swift-nio",
                    condition: .when(platforms: [.linux], traits: ["RemoteHTTPClient"])
                ),
            ]
        ),
        .executableTarget(
            name: "KeyspanTool",
            dependencies: [
                "Keyspan",
                "KeyspanCore",
                .target(name: "KeyspanEtcd", condition: .when(traits: ["Etcd"])),
                "KeyspanFileStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // Folders, processes, waits and clocks of the tests.
        .target(
            name: "KeyspanTestSupport",
            dependencies: ["KeyspanCore", "KeyspanFileStore", "KeyspanTesting"],
            path: "Tests/Support"
        ),
        .testTarget(name: "KeyspanCoreTests", dependencies: ["KeyspanCore", "KeyspanTesting", "KeyspanTestSupport"]),
        // The program that the tests of several processes start and kill.
        .executableTarget(
            name: "KeyspanFileStoreProcess",
            dependencies: ["KeyspanCore", "KeyspanFileStore"],
            path: "Tests/KeyspanFileStoreProcess"
        ),
        .testTarget(
            name: "KeyspanFileStoreTests",
            dependencies: ["KeyspanFileStore", "KeyspanFileStoreProcess", "KeyspanTesting", "KeyspanTestSupport"]
        ),
        .testTarget(
            name: "KeyspanConsoleTests",
            dependencies: [
                "KeyspanConsole",
                "KeyspanCore",
                "KeyspanTesting",
                "KeyspanTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Console"])),
            ]
        ),
        .testTarget(name: "KeyspanTests", dependencies: ["Keyspan", "KeyspanTesting", "KeyspanTestSupport"]),
        .testTarget(name: "DefaultsCompatibilityTests", dependencies: ["Keyspan", "KeyspanTestSupport"]),
        .testTarget(name: "KeyspanToolTests", dependencies: ["KeyspanTool", "KeyspanTesting", "KeyspanTestSupport"]),
        // The program that the tests of `UserDefaults` in several processes start.
        .executableTarget(
            name: "KeyspanUserDefaultsProcess",
            dependencies: ["KeyspanCore", "KeyspanUserDefaults"],
            path: "Tests/KeyspanUserDefaultsProcess"
        ),
        .testTarget(
            name: "KeyspanUserDefaultsTests",
            dependencies: [
                "KeyspanFileStore", "KeyspanUserDefaults", "KeyspanUserDefaultsProcess", "KeyspanTesting",
                "KeyspanTestSupport",
            ]
        ),
        .testTarget(
            name: "KeyspanUITests",
            dependencies: ["Keyspan", "KeyspanCore", "KeyspanUI", "KeyspanTesting", "KeyspanTestSupport"]
        ),
        .testTarget(name: "LinkageTests", dependencies: ["KeyspanTestSupport", "KeyspanTool"]),
        // Without its trait, YAML is left out.
        .testTarget(
            name: "KeyspanTextFormatTests",
            dependencies: [
                "KeyspanCore", "KeyspanFileStore", "KeyspanTesting", "KeyspanTestSupport", "KeyspanTOML", "KeyspanYAML",
            ]
        ),
        .testTarget(
            name: "KeyspanConfigurationTests",
            dependencies: [
                "KeyspanConfiguration",
                "KeyspanCore",
                "KeyspanFileStore",
                "KeyspanTesting",
                "KeyspanTestSupport",
                .product(
                    name: "Configuration",
                    package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])
                ),
                .product(
                    name: "ConfigurationTesting",
                    package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])
                ),
            ]
        ),
        .testTarget(
            name: "KeyspanServiceTests",
            dependencies: [
                "KeyspanCore",
                "KeyspanFileStore",
                "KeyspanService",
                "KeyspanTesting",
                "KeyspanTestSupport",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Service"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Service"])),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Service"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])
                ),
                .product(
                    name: "ServiceLifecycleTestKit",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])
                ),
                .product(
                    name: "UnixSignals",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])
                ),
            ]
        ),
        .testTarget(
            name: "KeyspanEtcdTests",
            dependencies: [
                "KeyspanCore",
                "KeyspanEtcd",
                "KeyspanFileStore",
                "KeyspanTesting",
                "KeyspanTestSupport",
                "KeyspanTool",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Etcd"])),
            ]
        ),
        .testTarget(
            name: "KeyspanRemoteTests",
            dependencies: [
                "KeyspanCore",
                "KeyspanFileStore",
                "KeyspanRemote",
                "KeyspanTesting",
                "KeyspanTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Remote"])),
                .product(
                    name: "NIOCore",
                    package: "swift-nio",
                    condition: .when(platforms: [.linux], traits: ["RemoteHTTPClient"])
                ),
                .product(
                    name: "NIOHTTP1",
                    package: "swift-nio",
                    condition: .when(platforms: [.linux], traits: ["RemoteHTTPClient"])
                ),
                .product(
                    name: "NIOPosix",
                    package: "swift-nio",
                    condition: .when(platforms: [.linux], traits: ["RemoteHTTPClient"])
                ),
            ],
            exclude: ["Reader/read_settings.py"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

package.traits.insert(.default(enabledTraits: documentsAllModules ? Set(package.traits.map(\.name)) : []))

// The tests of modules behind traits need packages that only the traits bring, so they join the package when they are named. So a check
// that runs the tests of some targets builds no others: KEYSPAN_TEST_TARGETS="KeyspanToolTests LinkageTests".
let testsBehindTraits: Set = [
    "KeyspanConfigurationTests", "KeyspanConsoleTests", "KeyspanEtcdTests", "KeyspanRemoteTests", "KeyspanServiceTests",
]
let tests = package.targets.filter { $0.type == .test }.map(\.name)
let namedTests = Context.environment["KEYSPAN_TEST_TARGETS"].map { Set($0.split(separator: " ").map(String.init)) }
precondition(
    namedTests.map { !$0.isEmpty && $0.isSubset(of: tests) } ?? true,
    "KEYSPAN_TEST_TARGETS names no test target, or one that does not exist"
)
package.targets.removeAll {
    $0.type == .test && !(namedTests?.contains($0.name) ?? !testsBehindTraits.contains($0.name))
}

for target in package.targets {
    target.swiftSettings = [
        // Existentials cost a table call and hide the concrete type: SE-0335 makes each one visible as `any`.
        .enableUpcomingFeature("ExistentialAny"),
        // A member is visible only in files that import its module (SE-0444), so that no file leans on another's imports.
        .enableUpcomingFeature("MemberImportVisibility"),
        // An import leaks into the public interface only where it says `public import` (SE-0409).
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
