package org.restheart.mcp;

import java.util.Optional;
import java.util.Set;

/// With what a caller has shown who it is.
///
/// @param principal tells the account from all others, also from those of that name known from elsewhere
/// @param scopes those of a token; empty for a credential without any
/// @param keyHandle of an API key
public record PresentedCredential(String principal, Optional<Set<String>> scopes, Optional<String> keyHandle) {}
