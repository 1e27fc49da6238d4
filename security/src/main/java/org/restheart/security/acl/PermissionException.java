package org.restheart.security.acl;

/// A permission that cannot be used; says why.
public final class PermissionException extends Exception {
    PermissionException(String why) {
        super(why, null, false, false);
    }
}
