// SPDX-License-Identifier: Apache-2.0
//! Where this user's iceoryx2 files are, the same place as the Python client's: a private folder,
//! and files in shared memory whose names no other user's have.

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use iceoryx2::prelude::*;

use crate::lock::alone;
use crate::outcome::{one_line, Outcome};
use crate::private_folder::{digest, private_folder, user, MOST_PATH};
use crate::shared_memory;

/// Behind folder and prefix in the path of a socket: an identifier of 30 digits.
const SOCKET: usize = "/".len() + 30 + ".event".len();
const MOST_ADDRESS: usize = 24;
const DIGITS: usize = 8;

pub struct Home {
    folder: PathBuf,
    prefix: String,
}

impl Home {
    /// `address`: what the names begin with; empty: wirecost's own.
    pub fn new(address: &str) -> Outcome<Self> {
        let start = if address.is_empty() { "wirecost_" } else { address };
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if start.len() > MOST_ADDRESS || !start.bytes().all(fits) {
            return Err(format!(
                "iceoryx2: address '{start}' must be 1 to {MOST_ADDRESS} letters, digits, _ or -"
            ));
        }
        let folder = private_folder("iceoryx2", MOST_PATH - SOCKET - start.len() - DIGITS - 1)?;
        // The same name for two users, or two folders, would let one's processes see the other's.
        let text = [format!("{} ", user()).as_bytes(), folder.as_os_str().as_bytes()].concat();
        let prefix = format!("{start}{}_", digest(&text));
        Ok(Self { folder, prefix })
    }

    pub fn node(&self) -> Outcome<Node<ipc::Service>> {
        let config = self.config().map_err(|error| self.refused(&error.to_string()))?;
        let _door = alone(&self.folder)?;
        self.take_counters()?;
        // Making a node clears away what killed processes left.
        let node = NodeBuilder::new()
            .signal_handling_mode(SignalHandlingMode::Disabled)
            .config(&config)
            .create::<ipc::Service>()
            .map_err(|error| self.refused(&one_line(error)))?;
        self.take_counters()?;
        Ok(node)
    }

    /// Whether a file in shared memory is iceoryx2's own, and none of messages: those are as large
    /// as ever may be needed, and reserved one by one.
    pub fn is_bookkeeping(&self, name: &str) -> bool {
        name.starts_with(&self.prefix) && !name.ends_with(".data")
    }

    fn config(&self) -> Result<Config, SemanticStringError> {
        let mut config = Config::default();
        config.global.prefix = FileName::new(self.prefix.as_bytes())?;
        config.global.set_root_path(&Path::new(self.folder.as_os_str().as_bytes())?);
        Ok(config)
    }

    fn refused(&self, why: &str) -> String {
        format!(
            "iceoryx2: no node below {} ({why}): remove the folder if nobody uses it, or set \
             XDG_RUNTIME_DIR",
            self.folder.display()
        )
    }

    /// Takes from the file by which nodes are numbered what everybody may do, as iceoryx2 makes it;
    /// refuses another user's.
    fn take_counters(&self) -> Outcome<()> {
        let Ok(entries) = fs::read_dir(shared_memory::FOLDER) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with(&self.prefix) || !name.ends_with(".global_mgmt") {
                continue;
            }
            let ours = OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(libc::O_NOFOLLOW)
                .open(entry.path())
                .and_then(|file| {
                    let ours = file.metadata()?.uid() == user();
                    if ours {
                        file.set_permissions(Permissions::from_mode(0o600))?;
                    }
                    Ok(ours)
                });
            if !ours.map_err(|error| format!("{name}: {error}; give another address"))? {
                return Err(format!("{name}: belongs to another user; give another address"));
            }
        }
        Ok(())
    }
}
