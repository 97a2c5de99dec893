#include "Bytes.h"
#include "Command.h"
#include "Files.h"
#include "Options.h"
#include "StateConversion.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Compression/StreamCodec.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

using namespace DB;

namespace statewire_program
{

namespace
{
struct ConvertOptions
{
    std::string from;
    std::string to;
    std::vector<std::string> files;
    std::string output;
    std::string input_encoding = "raw";
    std::string output_encoding = "raw";
    bool lines = false;
};

/// The text without the line feeds at its end, which tools put behind hexadecimal and base64 digits.
std::string_view withoutLineFeeds(std::string_view text) noexcept
{
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    return text;
}

class Converter
{
public:
    explicit Converter(const ConvertOptions & options)
        : conversion(parseStateType(options.from), parseStateType(options.to)),
          input(parseEncoding(options.input_encoding)),
          output(parseEncoding(options.output_encoding)),
          lines(options.lines)
    {
        if (conversion.readsText() && input != Encoding::Raw)
            throwError(ErrorCodes::BAD_ARGUMENTS, "An IntegerList is text: --input-encoding has no meaning for it");
        if (conversion.writesText() && output != Encoding::Raw)
            throwError(ErrorCodes::BAD_ARGUMENTS, "An IntegerList is text: --output-encoding has no meaning for it");
        if (lines && ((!conversion.readsText() && input == Encoding::Raw) || (!conversion.writesText() && output == Encoding::Raw)))
            throwError(
                ErrorCodes::BAD_ARGUMENTS,
                "With --lines, states are text: give --input-encoding or --output-encoding hex, base64 or escaped");
        conversion.setListInLine(lines);
    }

    void convert(ReadBuffer & in, WriteBuffer & out)
    {
        if (lines)
            convertLines(in, out);
        else if (input == Encoding::Raw)
            convertOne(in, out);
        else
            convertText(withoutLineFeeds(readAll(in)), out);
    }

private:
    void convertLines(ReadBuffer & in, WriteBuffer & out)
    {
        std::string line;
        for (UInt64 number = 1; !in.eof(); ++number)
        {
            line.clear();
            while (!in.eof() && *in.position() != '\n')
            {
                const std::string_view rest(in.position(), in.available());
                const std::string_view piece = rest.substr(0, rest.find('\n'));
                line += piece;
                in.position() += piece.size();
            }
            if (!in.eof())
                ++in.position();
            try
            {
                convertText(line.ends_with('\r') ? std::string_view(line).substr(0, line.size() - 1) : line, out);
            }
            catch (Exception & e)
            {
                e.addMessage(concat("in line ", number));
                throw;
            }
            if (conversion.writesText())
                out.write('\n');
        }
    }

    void convertText(std::string_view text, WriteBuffer & out)
    {
        const std::string bytes = decode(input, text);
        ReadBufferFromMemory in(bytes);
        convertOne(in, out);
    }

    void convertOne(ReadBuffer & in, WriteBuffer & out)
    {
        if (output == Encoding::Raw)
        {
            conversion.convert(in, out);
            return;
        }
        std::string bytes;
        WriteBufferFromString to(bytes);
        conversion.convert(in, to);
        to.finalize();
        const std::string text = encode(output, bytes) + '\n';
        out.write(text.data(), text.size());
    }

    StateConversion conversion;
    Encoding input;
    Encoding output;
    bool lines;
};

void convert(const ConvertOptions & options)
{
    Converter converter(options);
    const std::vector<std::string> paths = options.files.empty() ? std::vector<std::string>{"-"} : expandPatterns(options.files);
    if (paths.size() > 1 && !options.lines)
        throwError(
            ErrorCodes::BAD_ARGUMENTS, concat(paths.size(), " inputs, and one object each: convert them one by one, or give --lines"));
    OutputFile output(options.output, "");
    for (const std::string & path : paths)
    {
        try
        {
            /// By the name, as the output is: a frozen bitmap may begin with any bytes.
            const auto stream = streamFormatOfName(path);
            InputFile file(
                path,
                !stream                         ? InputCompression::None
                    : stream == StreamFormat::ZSTD ? InputCompression::ZST
                                                   : InputCompression::LZ4);
            converter.convert(file.data(), output.data());
        }
        catch (Exception & e)
        {
            e.addMessage(concat("in ", path == "-" ? "" : "file ", inputName(path)));
            throw;
        }
    }
    output.finalize();
}
}

std::string readAll(ReadBuffer & in)
{
    std::string bytes;
    while (!in.eof())
    {
        bytes.append(in.position(), in.available());
        in.position() += in.available();
    }
    return bytes;
}

StateConversion::StateConversion(StateType from_, StateType to_) : from(std::move(from_)), to(std::move(to_))
{
    if (!(from.isBitmap() && to.isBitmap()) && !(from.isSketch() && to.isSketch()))
        throwError(
            ErrorCodes::CANNOT_CONVERT_TYPE,
            concat("Cannot convert ", from.name, " into ", to.name, ": both must be bitmaps, or both count-min sketches"));
    switch (to.layout)
    {
        case StateLayout::Frozen32:
        case StateLayout::JavaLegacy64:
        case StateLayout::DorisBitmapValue:
        case StateLayout::StarRocksBitmapValue:
            throwError(ErrorCodes::NOT_IMPLEMENTED, concat("The layout ", to.name, " is read only: a portable one serves everybody"));
        default:
            break;
    }
}

void StateConversion::convert(ReadBuffer & in, WriteBuffer & out) const
{
    if (from.layout == StateLayout::IntegerList)
        convertList(in, out);
    else if (from.isBitmap())
        convertBitmap(readAll(in), out);
    else
        convertSketch(readAll(in), out);
}

void addConvertCommand(CLI::App & program, Action & action)
{
    CLI::App & command = *program.add_subcommand("convert", "Convert states between ClickHouse's, Roaring's and DataSketches' layouts");
    const auto options = std::make_shared<ConvertOptions>();
    command.add_option("FILE,-F,--file", options->files, "Inputs, each one object, or lines of them; - or none is stdin")
        ->type_name("FILE");
    command.add_option("--from", options->from, "What the input is: a type, see below")->required()->type_name("TYPE");
    command.add_option("--to", options->to, "What it becomes")->required()->type_name("TYPE");
    command.add_option("-o,--output", options->output, "File to write; it appears under its name when it is complete. Default: stdout")
        ->type_name("FILE");
    command.add_option("--input-encoding", options->input_encoding, std::string("How the input's bytes are written: ") + ENCODING_NAMES)
        ->type_name("ENCODING")
        ->default_str("raw");
    command.add_option("--output-encoding", options->output_encoding, "The same for the output")->type_name("ENCODING")->default_str("raw");
    command.add_flag("--lines", options->lines, "Every line of the input is an object, and becomes a line");
    command.footer(
        "Types: AggregateFunction(groupBitmap, T), RoaringPortable32, RoaringPortable64, IntegerList (text: 1 2 3 or [1,2,3]), and only\n"
        "as input RoaringFrozen32, RoaringJavaLegacy64, DorisBitmapValue, StarRocksBitmapValue; or AggregateFunction(countMinSketch(h, "
        "b[,\n"
        "seed[, row_seeds]]), K[, W]) and CountMinImage(W[, seed[, scheme]]), which DataSketches writes.\n"
        "A value that the target cannot hold is an error, and so is another shape, seed or scheme of a sketch: its table does not know\n"
        "the keys. Only small states do, and convert. Input is validated in full; output is canonical.\n\n"
        "Examples:\n"
        "  statewire convert --from IntegerList --to 'AggregateFunction(groupBitmap, UInt64)' --output-encoding hex ids.txt\n"
        "  statewire convert --from 'AggregateFunction(groupBitmap, UInt64)' --to RoaringPortable64 -o set.roaring state.bin\n"
        "  statewire convert --lines --from IntegerList --to 'AggregateFunction(groupBitmap, UInt32)' \\\n"
        "      --output-encoding escaped lists.txt > states.tsv\n"
        "  statewire convert --from 'CountMinImage(UInt64, 9001, libcxx)' \\\n"
        "      --to \"AggregateFunction(countMinSketch(5, 272, 9001, 'libcxx'), String)\" -o state.sketch sketch.libcxx.bin");
    command.callback([options, &action] { action = [options] { convert(*options); }; });
}

}
