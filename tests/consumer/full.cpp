#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <string>

int main()
{
    std::string compressed;
    DB::WriteBufferFromString out(compressed);
    DB::CompressedWriteBuffer frames(out, DB::createCompressionCodec("ZSTD(3)"));
    frames.write("statewire", 9);
    frames.finalize();
    out.finalize();

    DB::ReadBufferFromMemory in(compressed);
    DB::CompressedReadBuffer raw(in);
    std::string text(9, ' ');
    raw.readStrict(text.data(), text.size());
    return text == "statewire" && raw.eof() ? 0 : 1;
}
