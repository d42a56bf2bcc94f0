// SPDX-License-Identifier: Apache-2.0
//! Generates the libraries' code of `schema.fds`, whose names are numbers: message `T0` has the
//! fields `f1`, … and the oneofs `o4`, ….
use prost::Message;
use prost_build::Config;
use prost_types::{DescriptorProto, FileDescriptorSet};

const SCHEMA: &str = "schema.fds";
const DERIVED: &str = "#[derive(::rkyv::Archive, ::rkyv::Serialize, ::rkyv::Deserialize)]";
/// Messages may hold themselves, so bounds are those of the serializer and not of the fields.
const BOUNDS: &str = "#[rkyv(
    serialize_bounds(
        __S: ::rkyv::ser::Writer + ::rkyv::ser::Allocator,
        __S::Error: ::rkyv::rancor::Source,
    ),
    deserialize_bounds(__D::Error: ::rkyv::rancor::Source),
    bytecheck(bounds(
        __C: ::rkyv::validation::ArchiveContext,
        <__C as ::rkyv::rancor::Fallible>::Error: ::rkyv::rancor::Source,
    )),
)]";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={SCHEMA}");
    let described = FileDescriptorSet::decode(std::fs::read(SCHEMA)?.as_slice())?;
    #[cfg(feature = "buffa")]
    buffa_build::Config::new()
        .descriptor_set(SCHEMA)
        .files(&described.file.iter().map(|file| file.name()).collect::<Vec<_>>())
        .include_file("buffa.rs")
        .compile()?;
    let mut config = Config::new();
    if cfg!(feature = "rkyv") {
        for message in described.file.iter().flat_map(|file| &file.message_type) {
            derive(&mut config, message);
        }
    }
    config.compile_fds(described)?;
    Ok(())
}

/// Lets rkyv derive its traits for a message and its oneofs.
fn derive(config: &mut Config, message: &DescriptorProto) {
    let path = format!(".wire.{}", message.name());
    config.type_attribute(&path, DERIVED).type_attribute(&path, BOUNDS);
    let fields = message.field.iter().map(|field| field.name());
    for name in fields.chain(message.oneof_decl.iter().map(|oneof| oneof.name())) {
        // A whole path would be one of the oneof's variants, too, which take no such attribute.
        config.field_attribute(format!("{}.{name}", message.name()), "#[rkyv(omit_bounds)]");
    }
}
