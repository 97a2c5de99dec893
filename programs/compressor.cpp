#include "Command.h"
#include "Files.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/Compression/ParallelCompressedWriteBuffer.h>
#include <statewire/Compression/SeekableCompressedReadBuffer.h>
#include <statewire/IO/ReadBufferFromFileDescriptor.h>
#include <statewire/IO/ReadBufferFromFilePRead.h>

#include <cstdio>
#include <unistd.h>

using namespace DB;

namespace statewire_program
{

namespace
{
struct CompressorOptions
{
    std::string input = "-";
    std::string output = "-";
    bool decompress = false;
    bool stat = false;
    bool verify = false;
    bool fix_checksum = false;
    bool hc = false;
    bool zstd = false;
    bool none = false;
    std::string codec;
    int level = 0;
    CLI::Option * level_option = nullptr;
    UInt64 block_size = DEFAULT_COMPRESS_BLOCK_SIZE;
    size_t threads = 1;
    UInt64 offset_in_file = 0;
    UInt64 offset_in_block = 0;
};

[[noreturn]] void throwConflict(std::string text) { throwError(ErrorCodes::BAD_ARGUMENTS, std::move(text)); }

void checkOptions(const CompressorOptions & options)
{
    if (options.decompress + options.stat + options.verify + options.fix_checksum > 1)
        throwConflict("Only one of --decompress, --stat, --verify and --fix-checksum can be given");
    const bool reads_frames = options.decompress || options.stat || options.verify || options.fix_checksum;
    const int codecs = options.hc + options.zstd + options.none + !options.codec.empty();
    if (codecs > 1)
        throwConflict("Only one of --hc, --zstd, --none and --codec can be given");
    if (reads_frames && (codecs != 0 || options.level_option->count() != 0))
        throwConflict("A codec is chosen to compress; frames that are read say themselves what they are");
    if (!options.decompress && (options.offset_in_file != 0 || options.offset_in_block != 0))
        throwConflict("Offsets are for --decompress");
}

CompressionCodecPtr chooseCodec(const CompressorOptions & options)
{
    std::string description = options.codec;
    if (options.hc)
        description = "LZ4HC";
    else if (options.zstd)
        description = "ZSTD";
    else if (options.none)
        description = "NONE";
    else if (description.empty())
        description = "LZ4";
    if (options.level_option->count() == 0)
        return createCompressionCodec(description);
    if (description.find('(') != std::string::npos)
        throwConflict(concat("The level is given twice: in --codec ", description, " and with --level"));
    return createCompressionCodec(concat(description, '(', options.level, ')'));
}

std::unique_ptr<ReadBuffer> openFrames(const CompressorOptions & options)
{
    if (options.input == "-")
        return std::make_unique<ReadBufferFromFileDescriptor>(STDIN_FILENO, "stdin");
    return std::make_unique<ReadBufferFromFile>(options.input);
}

void copy(ReadBuffer & in, WriteBuffer & out)
{
    while (!in.eof())
    {
        out.write(in.position(), in.available());
        in.position() += in.available();
    }
}

void compress(const CompressorOptions & options)
{
    const CompressionCodecPtr codec = chooseCodec(options);
    const std::unique_ptr<ReadBuffer> in = openFrames(options);
    OutputFile output(options.output, "", false);
    const auto write = [&](auto && frames) {
        copy(*in, frames);
        frames.finalize();
    };
    if (options.threads != 1)
        write(ParallelCompressedWriteBuffer(output.data(), codec, options.threads, options.block_size));
    else
        write(CompressedWriteBuffer(output.data(), codec, options.block_size));
    output.finalize();
}

void decompress(const CompressorOptions & options)
{
    std::unique_ptr<ReadBuffer> frames;
    if (options.input == "-")
    {
        /// No seek in a pipe: what comes before is passed over.
        std::unique_ptr<ReadBuffer> in = openFrames(options);
        in->ignore(options.offset_in_file);
        frames = std::make_unique<CompressedReadBuffer>(std::move(in));
        if (options.offset_in_block != 0 && (frames->eof() || frames->available() < options.offset_in_block))
            throwError(
                ErrorCodes::ARGUMENT_OUT_OF_BOUND,
                concat("The frame at byte ", options.offset_in_file, " has fewer than ", options.offset_in_block, " decompressed bytes"));
        frames->ignore(options.offset_in_block);
    }
    else
    {
        auto seekable = std::make_unique<SeekableCompressedReadBuffer>(std::make_unique<ReadBufferFromFilePRead>(options.input));
        seekable->seek({options.offset_in_file, options.offset_in_block});
        frames = std::move(seekable);
    }
    OutputFile output(options.output, "", false);
    copy(*frames, output.data());
    output.finalize();
}

/// A frame as it lies in the file: its payload is not looked at yet.
struct RawFrame
{
    UInt64 offset = 0;
    std::string_view prefix;
    std::string_view payload;
    FrameHeader header;
};

/// Calls `action` with every frame. What makes it impossible to go on (a header that is none, a file that is cut off) is thrown.
template <typename Action>
void walkFrames(ReadBuffer & in, Action && action)
{
    ZeroCopyReader reader(in);
    while (!in.eof())
    {
        RawFrame frame;
        frame.offset = in.count();
        const std::string prefix(reader.borrow(FRAME_PREFIX_SIZE));
        frame.prefix = prefix;
        frame.header = parseFrameHeader(prefix.data(), frame.offset, {});
        frame.payload = reader.borrow(frame.header.payloadSize());
        action(frame);
    }
}

/// Decompresses a frame's payload for nothing but to see that it can be.
class PayloadChecker
{
public:
    void check(const RawFrame & frame)
    {
        const auto method = static_cast<CompressionMethod>(frame.header.method);
        const UInt32 size = frame.header.decompressed_size;
        if (isPlausibleSize(method, frame.payload, size))
        {
            if (to.size() < size)
                to.resize(size);
            if (tryDecompressWith(zstd, method, frame.payload.data(), frame.payload.size(), to.data(), size))
                return;
        }
        throwError(
            ErrorCodes::CANNOT_DECOMPRESS,
            concat("Cannot decompress the frame at byte ", frame.offset, ": its payload does not give the ", size, " bytes it announces"));
    }

private:
    DecompressorZSTD zstd;
    std::string to;
};

void printStatistics(const CompressorOptions & options)
{
    const std::unique_ptr<ReadBuffer> in = openFrames(options);
    OutputFile output(options.output, "", false);
    walkFrames(*in, [&](const RawFrame & frame) {
        const std::string line = concat(frame.header.decompressed_size, '\t', frame.header.compressed_size, '\n');
        output.data().write(line.data(), line.size());
    });
    output.finalize();
}

void verify(const CompressorOptions & options)
{
    const std::unique_ptr<ReadBuffer> in = openFrames(options);
    OutputFile output(options.output, "", false);
    UInt64 frames = 0;
    UInt64 bad_frames = 0;
    int first_code = 0;
    const auto report = [&](UInt64 offset, const Exception & error) {
        ++bad_frames;
        first_code = first_code == 0 ? error.code() : first_code;
        const std::string line = concat(offset, '\t', error.displayText(), '\n');
        output.data().write(line.data(), line.size());
    };
    UInt64 next_offset = 0;
    try
    {
        PayloadChecker checker;
        walkFrames(*in, [&](const RawFrame & frame) {
            ++frames;
            next_offset = in->count();
            try
            {
                checkFrame(frame.header, frame.payload, frame.offset, {});
                checker.check(frame);
            }
            catch (const Exception & error)
            {
                report(frame.offset, error);
            }
        });
    }
    catch (const Exception & error)
    {
        /// Behind this frame nothing can be found.
        ++frames;
        report(next_offset, error);
    }
    output.finalize();
    if (bad_frames != 0)
        throwError(first_code, concat(bad_frames, " of ", frames, " frames are bad"));
}

void fixChecksums(const CompressorOptions & options)
{
    const std::unique_ptr<ReadBuffer> in = openFrames(options);
    OutputFile output(options.output, "", false);
    UInt64 frames = 0;
    UInt64 fixed = 0;
    PayloadChecker checker;
    walkFrames(*in, [&](const RawFrame & frame) {
        /// A new checksum must not make damage look sound.
        checker.check(frame);
        char prefix[FRAME_PREFIX_SIZE];
        finishFrame(prefix, static_cast<CompressionMethod>(frame.header.method), frame.payload, frame.header.decompressed_size);
        ++frames;
        fixed += frame.prefix != std::string_view(prefix, sizeof(prefix));
        output.data().write(prefix, sizeof(prefix));
        output.data().write(frame.payload.data(), frame.payload.size());
    });
    output.finalize();
    std::fprintf(
        stderr, "%llu of %llu checksums were wrong\n", static_cast<unsigned long long>(fixed), static_cast<unsigned long long>(frames));
}

void run(const CompressorOptions & options)
{
    checkOptions(options);
    if (options.decompress)
        decompress(options);
    else if (options.stat)
        printStatistics(options);
    else if (options.verify)
        verify(options);
    else if (options.fix_checksum)
        fixChecksums(options);
    else
        compress(options);
}
}

void addCompressorCommand(CLI::App & program, Action & action)
{
    CLI::App & command
        = *program.add_subcommand("compressor", "Compress and decompress ClickHouse's frames, as clickhouse-compressor does");
    const auto options = std::make_shared<CompressorOptions>();
    command.add_option("INPUT", options->input, "A file, or - for stdin")->type_name("")->default_str("-");
    command.add_option("OUTPUT", options->output, "A file, or - for stdout")->type_name("")->default_str("-");
    command.add_flag("-d,--decompress", options->decompress, "Decompress");
    command.add_option("-b,--block-size", options->block_size, "Compress in blocks of this many bytes")
        ->type_name("BYTES")
        ->default_str("1048576");
    command.add_flag("--hc", options->hc, "LZ4HC instead of LZ4");
    command.add_flag("--zstd", options->zstd, "ZSTD instead of LZ4");
    command.add_flag("--none", options->none, "No compression");
    command.add_option("--codec", options->codec, "NONE, LZ4, LZ4HC(1..12) or ZSTD(1..22)")->type_name("CODEC");
    options->level_option = command.add_option("--level", options->level, "The codec's level")->type_name("LEVEL");
    command.add_option("--threads", options->threads, "Compress on this many threads; the bytes are the same")
        ->type_name("N")
        ->default_str("1");
    command.add_flag("--stat", options->stat, "Print every frame's decompressed and compressed size");
    command.add_option("--offset-in-compressed-file", options->offset_in_file, "Decompress from the frame at this byte")->type_name("BYTE");
    command.add_option("--offset-in-decompressed-block", options->offset_in_block, "and from this byte of it")->type_name("BYTE");
    command.add_flag("--verify", options->verify, "Check every frame; print a line for each bad one: its offset and what is wrong");
    command.add_flag("--fix-checksum", options->fix_checksum, "Write the frames with right checksums, after somebody edited them");
    command.footer("--verify and --fix-checksum also decompress every frame. The exit code of --verify is that of the first bad frame.\n\n"
                   "Examples:\n"
                   "  statewire compressor --codec 'ZSTD(3)' states.native states.native.bin\n"
                   "  statewire compressor -d states.native.bin | wc -c\n"
                   "  statewire compressor --verify states.native.bin");
    command.callback([options, &action] { action = [options] { run(*options); }; });
}

}
