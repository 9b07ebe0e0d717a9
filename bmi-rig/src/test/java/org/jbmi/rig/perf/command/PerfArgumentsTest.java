package org.jbmi.rig.perf.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What can be wrong before anything is started. */
@Timeout(60)
class PerfArgumentsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        return Program.of(new BmiMain())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(("perf " + line).strip().split("\\s+"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                               | A target is needed",
                "tcp --bytes -1                 | is not a number of bytes",
                "tcp --bytes 0                  | A message has 1 byte to 1 GiB here",
                "tcp --bytes 4k..64             | from the smaller size to the larger",
                "tcp --bytes ..                 | is not a number of bytes",
                "tcp --pattern ping             | it is one of pingpong, rpc, stream, rate",
                "tcp --wait never               | it is one of spin, yield, adaptive, block",
                "tcp --cpus two                 | it is one of same, split, free",
                "pigeon                         | There is no method 'pigeon' here, only",
                "pigeon://x                     | There is no method 'pigeon' here, only",
                "tcp --listen tcp://127.0.0.1:1 | not both",
                "--listen tcp                   | is not an address",
                "tcp --clients 0                | --clients goes from 1 to 1024",
                "tcp --threads 65               | --threads goes from 1 to 64",
                "tcp --pending -1               | --pending goes from 0",
                "tcp --outstanding 0            | --outstanding goes from 1",
                "tcp --seconds 0                | --seconds goes from more than 0",
                "tcp --seconds soon             | 'soon' is not a number.",
                "tcp --seconds NaN              | --seconds goes from more than 0",
                "tcp --rounds 0                 | --rounds goes from 1 to 1000",
                "tcp --instances 0              | --instances goes from 1 to 4096",
                "tcp --warm-up -1               | --warm-up goes from 0",
                "tcp --rate 10                  | --rate is for --pattern rate",
                "tcp --pattern rate --rate 0    | --rate is more than 0",
                "tcp --pattern call --verify    | --verify is for messages, not for calls",
                "tcp --pattern pull --outstanding 257 | --outstanding goes from 1 to 256",
                "tcp --pattern push --versus raw-tcp  | Baselines know pingpong",
                "tcp --pattern rpc --versus memcpy    | memcpy takes turns with --pattern stream",
                "tcp --pattern stream --clients 2 --versus memcpy | Layers, memcpy",
                "tcp --pattern stream --versus call   | call takes turns with --pattern rpc",
                "tcp --pattern rpc --versus stream     | stream takes turns with --pattern pull or"
                        + " push",
                "tcp --pattern rpc --verify --versus call | call is measured without --verify",
                "tcp --pattern rpc --clients 2 --versus call | Layers, memcpy",
                "tcp --pattern rpc --outstanding 257 --versus call | --outstanding goes from 1 to"
                        + " 256",
                "tcp --pattern rpc --bytes 7 --versus forward | a multiple of 8 bytes",
                "tcp --pattern forward --outstanding 2 | one forwarded call at a time",
                "tcp --unexpected               | --unexpected is for --pattern stream",
                "tcp --pattern local            | --pattern local is for loopback",
                "loopback --pattern local --verify      | --pattern local has no --outstanding,",
                "loopback --pattern local --pending 2   | --pattern local has no --outstanding,",
                "loopback --pattern local --outstanding 2 | --pattern local has no --outst",
                "loopback --pattern local --threads 2   | --pattern local has one thread",
                "loopback --pattern local --threads 1   | --pattern local has one thread",
                "tcp --pattern rate --rate 0.01 | --rate is at least 0.1 for each client thread",
                "tcp --pattern idle --wait spin | needs --wait adaptive or block",
                "tcp --through daemon           | are for zoid",
                "loopback --clients 2           | there is 1 client",
                "loopback --instances 2         | there is 1 client",
                "loopback://x                   | loopback does not leave its process",
                "tcp --versus pigeon            | There is no baseline",
                "tcp --versus pigeon            | memcpy, few-pending, call, forward and stream.",
                "zoid --through tcp             | --through is daemon, direct, embedded or auto,"
                        + " not",
                "tcp --bytes 32m                | tcp carries messages of up to 16777216 bytes",
                "tcp --versus raw-tcp --verify  | Baselines know",
                "tcp --versus raw-shm --bytes 1g | carries messages of up to",
                "tcp --outstanding 513 --versus raw-shm | raw-shm keeps at most 512 messages under",
                "tcp --versus few-pending       | few-pending needs --pending of more than 10",
                "tcp --pattern idle --wait block --pending 20 --versus few-pending | few-pending"
                        + " takes turns with a pattern that sends messages, not with idle",
                "tcp --clients 17 --versus raw-tcp | at most 16 client threads",
                "tcp --outstanding 8 --bytes 16k --versus raw-shm | sends or receives, not both",
                "tcp --pattern rate --bytes 16k --versus raw-tcp  | sends or receives, not both",
                "tcp --instances 2 --versus-command x | Layers, memcpy and commands have one",
                "tcp --pattern idle --wait block --versus-command x | Baselines know",
                "tcp --knob no.such=1           | There is no knob 'no.such'",
                "tcp --knob tcp.sendBufferBytes=x | tcp.sendBufferBytes (set by --knob)",
                "zoid --knob zbmi.totalBytes=x  | zbmi.totalBytes (set by --knob)",
                "--listen zoid:// --knob bmi.wait=x | bmi.wait (set by --knob)",
                "tcp --plot /no/such/place.svg  | There is no directory for",
                "tcp --plot /proc               | /proc is a directory: give the name of a file",
                "--by clients --keep /proc      | /proc is a directory: give the name of a file",
                "--by bytes --counts 1k,2000    | whole KiB for --by bytes, unlike '2000'",
                "--by size                      | it is one of clients, pending, bytes",
                "loopback --by clients          | --by clients has no rows of 'loopback'",
                "zoid --by bytes                | --by bytes has no rows of 'zoid'",
                "--by clients --counts 0        | --counts goes from 1 to 4096",
                "--by pending --counts 10       | --counts goes from 11 to 200000",
                "--by clients --counts 4,4      | --counts rises",
                "--by bytes --counts x          | is not a number of bytes",
                "--by clients --counts 1,x      | 'x' is not a number for --counts",
                "tcp --counts 4                 | --counts, --keep and --kept are for --by",
                "tcp --keep x                   | --counts, --keep and --kept are for --by",
                "tcp --kept x                   | --counts, --keep and --kept are for --by",
                "--by clients --keep x --kept x | --keep writes rows, --kept reads them: not both",
                "--by clients --row-limit 0     | --row-limit goes from 1 to 3600",
                "--by clients --keep /no/x.json | There is no directory for",
                "--table --by clients           | are two tables",
                "--by clients --json            | --by has its own measurements: --json does not",
                "--by bytes --bytes 1k          | --by has its own measurements: --bytes does not",
                "--table --plot x.svg           | --table has its own measurements: --plot does",
                "tcp --table --seconds 1        | --table has its own measurements: --seconds do",
                "--table --row-limit 9          | --table has its own measurements: --row-limit",
                "--table pigeon                 | --table has no rows of 'pigeon', only of tcp,"
                        + " zoid,",
                "--table zoid://                | --table has no rows of 'zoid://'",
                "--by clients --plot /no/x.svg  | There is no directory for",
                "tcp --nonsense                 | Unknown option: '--nonsense'",
            })
    void aWrongCommandLineIsNamed(String line, String sentence) {
        assertThat(run(line == null ? "" : line)).isEqualTo(2);
        assertThat(err.toString()).contains(sentence).contains("Usage: bmi perf");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aSweepGoesUpByFours() {
        assertThat(ByteSizes.parse("64").all()).containsExactly(64);
        assertThat(ByteSizes.parse("1..4M").all())
                .startsWith(1, 4, 16)
                .endsWith(1 << 20, 4 << 20)
                .hasSize(12);
        assertThat(ByteSizes.parse("1k..5k").all()).containsExactly(1024, 4096, 5120);
        assertThat(ByteSizes.parse("8..8").all()).containsExactly(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2..1", "0..1", "1...2", "x", "1..", "..1", "2g"})
    void noOtherSweepIsTaken(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ByteSizes.parse(text));
    }
}
