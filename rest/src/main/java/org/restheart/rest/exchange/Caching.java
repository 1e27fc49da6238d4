package org.restheart.rest.exchange;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.NamedEntries;
import org.restheart.data.Access;
import org.restheart.data.Operation.Read;
import org.restheart.http.Content;
import org.restheart.http.Digests;
import org.restheart.http.EntityTagList;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.write.EntityTags;

/// What caches and polling clients are told of reads: the entity tags of lists and counts with `304` (RFC 9110,
/// 13.1.2), and the `Cache-Control` and `Vary` of all reads (RFC 9111).
///
/// The tag of a list is weak: `W/"hash"`, or `W/"tag.hash"` with the tag of the collection's properties, so that the
/// `ETag` of a list still is what `DELETE` of the collection needs. The hash is a part of the SHA-256 of the content:
/// who writes documents cannot choose two versions of a list with one tag, and all gateways have the same.
public final class Caching {
    /// A property of a collection, or of an aggregation.
    public static final String PROPERTY = "cacheControl";

    private static final String ETAG = "ETag";
    private static final int HASH_BYTES = 16;
    private static final int MAX_LENGTH = 256;

    private static final Set<ResourceKind> COUNTS_OF_NAMES = EnumSet.of(ResourceKind.ROOT_SIZE, ResourceKind.DB_SIZE);

    private static final String VARY = "Accept, Accept-Encoding";
    private static final String VARY_BY_CALLER = VARY + ", Authorization, Cookie";

    /// What an entity tag may contain (RFC 9110, 8.8.3), without what is beyond ASCII.
    private static final Pattern TAG = Pattern.compile("[!#-~]+");

    private static final Pattern DIRECTIVES = Pattern.compile("[\\t -~]{1," + MAX_LENGTH + "}");

    /// Directives are separated by commas outside of quotes.
    private static final Pattern SEPARATOR = Pattern.compile(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");

    private Caching() {}

    /// The response of a read, with what caches must know. Responses to other services of this process stay as they
    /// are.
    public static Response withHeaders(DataRequest request, Read read, Response response) {
        if (Via.isService(request.http()) || read == Read.WATCH || read == Read.AGGREGATE) {
            return response;
        }
        var control = control(request, read);
        return response.map(answer -> withHeaders(request, read, control, answer));
    }

    /// Which reads have the hash of their content as tag.
    private static boolean isHashed(DataRequest request, Read read) {
        return switch (read) {
            case FIND, COUNT, CHECK, RUN, LIST -> true;
            case DESCRIBE -> COUNTS_OF_NAMES.contains(request.path().kind());
            case GET, AGGREGATE, WATCH -> false;
        };
    }

    private static Ready withHeaders(DataRequest request, Read read, Optional<String> control, Ready answer) {
        boolean isCurrent = answer.status() == 200 || answer.status() == 206 || answer.status() == 304;
        if (!isCurrent) {
            return answer;
        }
        var varied = withVary(request.http(), answer.with("Cache-Control", control));
        return isHashed(request, read) ? conditional(request, varied) : varied;
    }

    /// The response as one of several for the same URL.
    private static Ready withVary(Request request, Ready response) {
        return response.with("Vary", dependsOnCaller(request) ? VARY_BY_CALLER : VARY);
    }

    /// Callers without an account who see everything get what all others get, if it is of one collection.
    private static boolean dependsOnCaller(Request request) {
        return request.caller().account().isPresent()
                || !(request.caller().grant() instanceof Access.Root)
                || DataParameter.EMBED.isIn(request.query());
    }

    /// The list with its tag; `304` if the client has it. What is too large to be sent whole has none of its own.
    private static Ready conditional(DataRequest request, Ready list) {
        var hashed = withHash(list);
        var hash = hashed.headers().first(ETAG);
        var properties = request.resource().properties();
        if (hash.isEmpty()) {
            return withTag(hashed, properties);
        }
        var tag = properties
                .flatMap(EntityTags::of)
                .filter(stored -> TAG.matcher(stored).matches())
                .map(stored -> stored + "." + hash.get())
                .orElse(hash.get());
        var tagged = hashed.with(ETAG, "W/\"" + tag + "\"");
        return isKnown(request.http(), Optional.of(tag))
                ? tagged.withStatus(304).with(Content.NONE)
                : tagged;
    }

    /// A list that several requests may share, with the hash of its content in place of a tag. What is streamed has
    /// none.
    public static Ready withHash(Ready list) {
        if (list.headers().has(ETAG)) {
            return list;
        }
        return switch (list.content()) {
            case Content.Bytes bytes ->
                list.with(ETAG, hash(list, bytes.buffer().duplicate()));
            case Content.None _ -> list.with(ETAG, hash(list, ByteBuffer.allocate(0)));
            case Content.Streamed _, Content.Push _ -> list;
        };
    }

    /// Of representations that are as empty in one media type as in another, too.
    private static String hash(Ready list, ByteBuffer content) {
        var digest = Digests.sha256();
        digest.update(content);
        digest.update(list.headers().first("Content-Type").orElse("").getBytes(StandardCharsets.US_ASCII));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest.digest(), HASH_BYTES));
    }

    /// Whether `If-None-Match` says that the client's copy is current.
    ///
    /// @param stored empty for a document without a tag
    public static boolean isKnown(Request request, Optional<String> stored) {
        return EntityTagList.of(request.headers(), "If-None-Match")
                .filter(known -> known.isCurrent(stored.orElse(null)))
                .isPresent();
    }

    /// The response with the tag of `document`, if it has one.
    public static Ready withTag(Ready response, Optional<BsonDocument> document) {
        return response.with(ETAG, document.flatMap(EntityTags::of));
    }

    /// What the author of the collection or the aggregation says of its `GET`s.
    private static Optional<String> control(DataRequest request, Read read) {
        var stated = switch (read) {
            case GET, FIND, COUNT, CHECK -> request.resource().property(PROPERTY);
            case RUN -> ofAggregation(request);
            case LIST, DESCRIBE, AGGREGATE, WATCH -> Optional.<BsonValue>empty();
        };
        return stated.filter(Caching::isControl)
                .map(value -> value.asString().getValue())
                .map(directives -> dependsOnCaller(request.http()) ? unshared(directives) : directives);
    }

    private static Optional<BsonValue> ofAggregation(DataRequest request) {
        return request.resource()
                .property("aggrs")
                .map(all -> NamedEntries.of(all).get(request.path().requireName()))
                .map(aggregation -> aggregation.get(PROPERTY));
    }

    /// Whether the property has an effect: it can be sent as a header.
    public static boolean isControl(BsonValue value) {
        return value.isString()
                && DIRECTIVES.matcher(value.asString().getValue()).matches()
                && !value.asString().getValue().isBlank();
    }

    /// Caches that several people use do not keep what depends on the caller: `public` and `s-maxage` would let them.
    /// Without `private` they keep what is asked for by a key in a header that they do not know.
    private static String unshared(String directives) {
        var kept = new ArrayList<String>();
        for (var directive : SEPARATOR.split(directives, -1)) {
            var name = directive.strip().toLowerCase(Locale.ROOT);
            if (name.equals("no-store")) {
                return directives;
            }
            if (!name.equals("public") && !name.equals("private") && !name.startsWith("s-maxage")) {
                kept.add(directive.strip());
            }
        }
        kept.addFirst("private");
        return String.join(", ", kept);
    }
}
