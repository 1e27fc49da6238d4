package org.restheart.security.acl;

/// An invalid permission; the message says why.
public final class PermissionException extends Exception {
    PermissionException(String why) {
        super(why, null, false, false);
    }
}
