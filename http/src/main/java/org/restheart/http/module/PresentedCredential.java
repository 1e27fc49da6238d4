package org.restheart.http.module;

import java.util.Optional;
import java.util.Set;

/// The credential with which a caller was authenticated.
///
/// @param principal identifies the account, also among accounts of the same name in other realms, and the credential
/// @param caller the account, whatever its credential, or the address of a caller without one
/// @param scopes of a token; empty for a credential without scopes
/// @param keyHandle of an API key
public record PresentedCredential(
        String principal, String caller, Optional<Set<String>> scopes, Optional<String> keyHandle) {}
