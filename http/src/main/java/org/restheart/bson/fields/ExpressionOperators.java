package org.restheart.bson.fields;

import java.util.Set;
import org.restheart.http.Words;

/// The operators of MongoDB's aggregation expressions, by what is known of them.
public final class ExpressionOperators {
    /// The operators whose result depends on nothing but their operands, field paths and variables in them
    /// included (MongoDB manual, "Aggregation Operators"). Operators that are not listed are not assumed to be
    /// harmless.
    private static final Set<String> PURE = Words.of("""
            $abs $acos $acosh $add $addToSet $allElementsTrue $and $anyElementTrue $arrayElemAt $arrayToObject $asin
            $asinh $atan $atan2 $atanh $avg $binarySize $bitAnd $bitNot $bitOr $bitXor $bsonSize $ceil $cmp $concat
            $concatArrays $cond $convert $cos $cosh $count $covariancePop $covarianceSamp $dateAdd $dateDiff
            $dateFromParts $dateFromString $dateSubtract $dateToParts $dateToString $dateTrunc $dayOfMonth $dayOfWeek
            $dayOfYear $degreesToRadians $denseRank $derivative $divide $documentNumber $eq $exp $expMovingAvg $filter
            $first $firstN $floor $gt $gte $hour $ifNull $in $indexOfArray $indexOfBytes $indexOfCP $integral $isArray
            $isNumber $isoDayOfWeek $isoWeek $isoWeekYear $last $lastN $let $linearFill $literal $ln $locf $log $log10
            $lt $lte $ltrim $map $max $maxN $median $mergeObjects $millisecond $min $minN $minMaxScaler $minute $mod
            $month $multiply $ne $not $objectToArray $or $percentile $pow $push $radiansToDegrees $rand $range $rank
            $reduce $regexFind $regexFindAll $regexMatch $replaceAll $replaceOne $reverseArray $round $rtrim
            $sampleRate $second $setDifference $setEquals $setIntersection $setIsSubset $setUnion $shift $sigmoid $sin
            $sinh $size $slice $sortArray $split $sqrt $stdDevPop $stdDevSamp $strLenBytes $strLenCP $strcasecmp
            $substr $substrBytes $substrCP $subtract $sum $switch $tan $tanh $toBool $toDate $toDecimal $toDouble
            $toHashedIndexKey $toInt $toLong $toLower $toObjectId $toString $toUUID $toUpper $trim $trunc $tsIncrement
            $tsSecond $type $week $year $zip""");

    private ExpressionOperators() {}

    /// The operators that are [known][#isPure] to depend on nothing else.
    public static Set<String> pure() {
        return PURE;
    }

    /// Whether the operator computes its result from its operands alone. Those that are given a field's name as
    /// text, run code or return metadata do not.
    static boolean isPure(String name) {
        return PURE.contains(name);
    }

    /// Whether a name is one of the operators and stages that MongoDB's processes use among themselves: they
    /// read fields by other names, run code, and are not protected against arguments that clients choose.
    public static boolean isInternal(String name) {
        return name.startsWith("$_");
    }
}
