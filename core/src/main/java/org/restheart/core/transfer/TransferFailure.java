package org.restheart.core.transfer;

/// A transfer cannot continue; the message is shown to the user.
final class TransferFailure extends RuntimeException {
    TransferFailure(String message) {
        super(message);
    }
}
