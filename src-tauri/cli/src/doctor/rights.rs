//! Rights of other users to files that are nobody else's business.

use std::path::Path;

/// The rights of a file or folder as `chmod` takes them, where other users of the machine get to it; none where they do
/// not, be it for a folder above.
#[cfg(unix)]
pub(super) fn open_to_others(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| path.metadata().map(|file| file.permissions().mode() & 0o777);
    let real = path.canonicalize().ok()?;
    let own = mode(&real).ok()?;
    let mut above = real.ancestors().skip(1);
    let reached = own & 0o077 != 0 && above.all(|folder| mode(folder).is_ok_and(|mode| mode & 0o011 != 0));
    reached.then(|| format!("{own:04o}"))
}

/// Other systems keep a person's folders from others by themselves.
#[cfg(not(unix))]
pub(super) fn open_to_others(_: &Path) -> Option<String> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{
        fs::{self, Permissions},
        os::unix::fs::PermissionsExt as _,
    };

    #[test]
    fn a_file_is_open_to_others_by_its_rights_unless_a_folder_above_is_not() {
        let place = tempfile::tempdir().unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let file = place.path().join("token");
        fs::write(&file, "x").unwrap();
        set(place.path(), 0o755);
        for (mode, open) in [
            (0o600, None),
            (0o400, None),
            (0o644, Some("0644")),
            (0o640, Some("0640")),
        ] {
            set(&file, mode);
            assert_eq!(open_to_others(&file).as_deref(), open);
        }
        set(place.path(), 0o700);
        assert_eq!(open_to_others(&file), None);
        assert_eq!(open_to_others(&place.path().join("none")), None);
    }
}
