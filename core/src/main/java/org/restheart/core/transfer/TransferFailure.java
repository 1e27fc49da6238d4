package org.restheart.core.transfer;

/// A transfer cannot go on; the message is for its user.
final class TransferFailure extends RuntimeException {
    TransferFailure(String message) {
        super(message);
    }
}
