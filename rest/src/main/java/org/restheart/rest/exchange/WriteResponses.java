package org.restheart.rest.exchange;

import static org.restheart.http.ProblemCode.ETAG_REQUIRED;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.PRECONDITION_FAILED;

import com.mongodb.WriteError;
import java.util.List;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.WriteOutcome;

public final class WriteResponses {
    private WriteResponses() {}

    /// @param etag the stored tag
    /// @param tagRequired the message for a missing tag
    /// @throws ProblemException 404, 409, 412
    public static Response.Ready of(WriteOutcome outcome, String etag, String tagRequired) {
        return switch (outcome) {
            case WriteOutcome.Created() -> JsonResponses.empty(201).with("ETag", etag);
            case WriteOutcome.Changed() -> JsonResponses.empty(200).with("ETag", etag);
            case WriteOutcome.Deleted() -> JsonResponses.empty(204);
            case WriteOutcome.Missing() -> throw missing("").raise();
            case WriteOutcome.Duplicate(var message) ->
                throw MongoCodes.ofCode(MongoCodes.DUPLICATE_KEY, message).raise();
            case WriteOutcome.Refused refused -> throw refusal(refused, tagRequired);
        };
    }

    /// As above, of a write that can create the document. With a filter it is not said how: it may be there.
    public static Response.Ready of(DataRequest request, WriteOutcome outcome, String etag, String tagRequired) {
        if (outcome instanceof WriteOutcome.Missing
                && request.parameters().find().filter().isEmpty()
                && request.parameters().shardKey().isEmpty()) {
            throw missing("; wm=upsert creates what does not exist").raise();
        }
        return of(outcome, etag, tagRequired);
    }

    /// As above, of a removal.
    public static Response.Ready of(WriteOutcome outcome, String tagRequired) {
        return of(outcome, "", tagRequired);
    }

    /// The same for what does not exist and for what the caller may not change.
    ///
    /// @param remedy added to the message
    public static Problem missing(String remedy) {
        return Problem.helpful(NOT_FOUND, "there is nothing here that this request may change" + remedy);
    }

    private static ProblemException refusal(WriteOutcome.Refused refused, String tagRequired) {
        return switch (refused) {
            case WriteOutcome.Stale(var current, var violated) -> {
                var problem = Problem.helpful(
                        PRECONDITION_FAILED,
                        reason(violated) + " The header ETag has the present one, for those who may read it");
                yield current.map(tag -> problem.with("ETag", tag))
                        .orElse(problem)
                        .raise();
            }
            case WriteOutcome.TagRequired(var current) ->
                Problem.of(ETAG_REQUIRED, tagRequired)
                        .with("ETag", current)
                        .withHints(List.of("the tag to send is the header ETag of a GET"))
                        .raise();
        };
    }

    private static String reason(Precondition violated) {
        if (violated instanceof Precondition.Both both) {
            return reason(both.first()); // of what does not exist; else it is one of the two
        }
        if (violated instanceof Precondition.IfNoneMatch(var tags)) {
            return tags.isAny()
                    ? "this exists, and If-None-Match: * says that it must not."
                    : "this has a tag that If-None-Match excludes.";
        }
        if (violated instanceof Precondition.IfMatch(var tags)) {
            if (tags.isAny()) {
                return "this does not exist, and If-Match: * says that it must.";
            }
            if (tags.text().startsWith("W/")) {
                return "If-Match has a weak tag, which matches nothing; send the tag without W/.";
            }
            if (tags.text().contains("{") || tags.text().isBlank()) {
                return "If-Match must have a tag as the header ETag has it; anything else matches nothing.";
            }
        }
        return "this has another tag than If-Match says: it has changed since it was read.";
    }

    public static ProblemException refusal(WriteError error) {
        return MongoCodes.ofWriteError(error.getCode(), error.getMessage()).raise();
    }
}
