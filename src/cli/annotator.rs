//! The annotator's name when none is given.

/// The user's name from `USER`, `LOGNAME` or the password file; never empty.
#[must_use]
pub fn user_name() -> String {
    let from_env = ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .filter_map(|key| std::env::var(key).ok())
        .find_map(|name| usable(&name));
    from_env.unwrap_or_else(by_uid)
}

fn usable(name: &str) -> Option<String> {
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(unix)]
fn by_uid() -> String {
    let uid = rustix::process::getuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid).then(|| usable(name)).flatten()
    });
    name.unwrap_or_else(|| format!("uid-{uid}"))
}

#[cfg(not(unix))]
fn by_uid() -> String {
    "annotator".to_owned()
}
