package org.restheart.core.noninterference;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;

/// The documents of both instances before the first request: equal except for what is hidden from the caller. Ids
/// that requests may name exist in both instances or in neither.
///
/// @param files whether the documents are descriptions of files
record InitialState(List<BsonDocument> left, List<BsonDocument> right, boolean files) {
    /// The id of a document that is deleted through the gateway to invalidate its caches.
    static final String TOUCH = "~touch";

    static InitialState of(CallerProfile profile, RandomSource random) {
        var left = new ArrayList<BsonDocument>();
        var right = new ArrayList<BsonDocument>();
        var writer = new Author(random, new ValueGenerator(random), profile);
        for (int i = 0; i < 5; i++) {
            var id = i < 4 ? new BsonString("m" + i) : new BsonInt32(1);
            var document = writer.seen(id, 1 + i);
            left.add(writer.hide(document));
            right.add(writer.hide(document));
        }
        for (int i = 0; i < 3; i++) {
            var id = new BsonString("h" + i);
            var document = writer.unseen(id, 20 + i);
            left.add(document);
            right.add(profile.seesAll() ? document : writer.unseen(id, 40 + i));
        }
        if (!profile.seesAll()) {
            for (int i = random.nextInt(4); i > 0; i--) {
                left.add(writer.unseen(new BsonString("zz-" + random.nextSeed()), 60 + i));
            }
            for (int i = random.nextInt(2); i > 0; i--) {
                right.add(writer.unseen(new BsonString("zz-" + random.nextSeed()), 80 + i));
            }
        }
        return new InitialState(List.copyOf(left), List.copyOf(right), false);
    }

    /// The same documents as descriptions of files.
    InitialState asFiles() {
        return new InitialState(
                left.stream().map(InitialState::described).toList(),
                right.stream().map(InitialState::described).toList(),
                true);
    }

    static BsonDocument described(BsonDocument document) {
        var file = document.clone();
        var tag = file.getOrDefault("_etag", new BsonObjectId(new ObjectId(tag(0))));
        file.remove("_etag");
        return file.append("filename", new BsonString("f"))
                .append("length", new BsonInt64(content(document).length))
                .append("chunkSize", new BsonInt32(255 << 10))
                .append("uploadDate", new BsonDateTime(0))
                .append("metadata", new BsonDocument("v", new BsonInt32(1)).append("_etag", tag));
    }

    /// The content of a file.
    static byte[] content(BsonDocument document) {
        return ("content of " + document.get("_id")).getBytes(StandardCharsets.UTF_8);
    }

    static String tag(int number) {
        return "5f00000000000000000000%02x".formatted(number);
    }

    private record Author(RandomSource random, ValueGenerator values, CallerProfile profile) {
        BsonDocument seen(org.bson.BsonValue id, int tag) {
            var document = any(id, tag);
            document.put(
                    "owner",
                    random.percent(80)
                            ? new BsonString("xena")
                            : new BsonArray(List.of(new BsonString("yuri"), new BsonString("xena"))));
            document.put("pub", org.bson.BsonBoolean.TRUE);
            document.put(
                    "team", profile == CallerProfile.ODD ? BsonDocument.parse("{$ne: 'x'}") : new BsonString("red"));
            document.put(
                    "n",
                    random.pick(
                            BsonDocument.parse("{k: 1, open: 2, secret: 3}"),
                            new BsonArray(List.of(BsonDocument.parse("{k: 1, secret: 2}"))),
                            new BsonArray(List.of(
                                    BsonDocument.parse("{k: 7, open: 1, secret: 'x'}"),
                                    BsonDocument.parse("{k: 1}")))));
            return document;
        }

        BsonDocument unseen(org.bson.BsonValue id, int tag) {
            var document = any(id, tag);
            document.put("owner", new BsonString("yuri"));
            document.put("pub", random.pick(org.bson.BsonBoolean.FALSE, new BsonInt32(1), new BsonString("x")));
            document.put("team", random.pick(new BsonString("blue"), new BsonString("alpha"), new BsonInt32(1)));
            document.put(
                    "n",
                    random.pick(
                            BsonDocument.parse("{k: 2, open: 2, secret: 3}"),
                            new BsonArray(List.of(BsonDocument.parse("{k: 9}"), BsonDocument.parse("{k: 3}"))),
                            new BsonString("x")));
            return document;
        }

        private BsonDocument any(org.bson.BsonValue id, int tag) {
            var document = new BsonDocument("_id", id);
            for (var field : List.of("v", "s", "a", "d", "secret", "2024", "open", "geo", "t")) {
                if (random.percent(70)) {
                    document.put(field, field.equals("geo") && random.percent(50) ? values.point() : values.value());
                }
            }
            if (random.percent(50)) {
                document.put(
                        "s",
                        random.pick(new BsonString("alpha one"), new BsonString("beta running"), new BsonString("12")));
            }
            if (random.percent(40)) {
                document.put("a", new BsonArray(List.of(values.number(), new BsonInt32(2))));
            }
            if (random.percent(40)) {
                document.put("d", new BsonDocument("x", values.value()).append("secret", values.scalar()));
            }
            if (random.percent(50)) {
                document.put("loc", values.point());
            }
            if (random.percent(70)) {
                document.put("r", reference());
            }
            if (random.percent(50)) {
                document.put("rs", new BsonArray(List.of(reference(), reference(), reference())));
            }
            if (profile == CallerProfile.USERS) {
                document.put("roles", new BsonArray());
                document.put("password", new BsonString("$2a$04$" + random.pick("abc", "xyz", "1", "9")));
            }
            document.put("_etag", new BsonObjectId(new ObjectId(tag(tag))));
            return document;
        }

        /// To a document that the caller sees, to another one, or to none.
        private org.bson.BsonValue reference() {
            return random.percent(15)
                    ? new BsonInt32(1)
                    : new BsonString(random.pick("m0", "m1", "m2", "m3", "h0", "h1", "h2", "none"));
        }

        /// A copy with random values in hidden fields.
        BsonDocument hide(BsonDocument document) {
            var copy = document.clone();
            for (var path : profile.hides()) {
                hide(copy, path);
            }
            return copy;
        }

        private void hide(BsonDocument document, String path) {
            int dot = path.indexOf('.');
            if (dot < 0) {
                document.remove(path);
                if (path.equals("password")) {
                    document.put(path, new BsonString("$2a$04$" + random.pick("abc", "xyz", "1", "9")));
                } else if (path.equals("language")) { // others cannot be stored with a text index
                    document.put(path, new BsonString(random.pick("english", "german", "none")));
                } else if (path.equals("r") || (path.equals("secret") && random.percent(40))) {
                    document.put(path, reference());
                } else if (random.percent(70)) {
                    document.put(path, values.value());
                }
                return;
            }
            var rest = path.substring(dot + 1);
            var inner = document.get(path.substring(0, dot));
            if (inner instanceof BsonDocument part) {
                hide(part, rest);
            } else if (inner instanceof BsonArray array) {
                array.stream()
                        .filter(BsonDocument.class::isInstance)
                        .forEach(element -> hide(element.asDocument(), rest));
            }
        }
    }
}
