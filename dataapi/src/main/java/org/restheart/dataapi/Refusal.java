package org.restheart.dataapi;

/// A request that is refused with an error of the Data API. Without stack trace, since it is no defect.
final class Refusal extends RuntimeException {
    private final int status;
    private final String code;

    Refusal(int status, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
    }

    static Refusal parameter(String message) {
        return new Refusal(400, "InvalidParameter", message);
    }

    int status() {
        return status;
    }

    /// The `error_code`.
    String code() {
        return code;
    }

    /// The text that clients see.
    String text() {
        return String.valueOf(getMessage());
    }
}
