//! Makes the protocol's messages and its client, without `protoc`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto/referee/v1");
    let files = protox::compile(["referee/v1/play.proto"], ["proto"])?;
    // The server is only for the tests.
    tonic_prost_build::configure().server_mod_attribute(".", "#[cfg(test)]").compile_fds(files)?;
    Ok(())
}
