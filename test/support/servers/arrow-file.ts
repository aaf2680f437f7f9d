import { MessageReader } from 'apache-arrow'
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file'

/** Converts a stream to Arrow's file format, which begins and ends with a marker. */
export function fileOfStream(stream: Uint8Array): Buffer {
  const view = Buffer.from(stream)
  const schema = new MessageReader(stream).readSchema()!
  const blocks: FileBlock[] = []
  const before = Buffer.from('ARROW1\0\0')
  let at = 0
  for (const message of messagesOf(stream)) {
    const metadata = 8 + view.readInt32LE(at + 4)
    const { bodyLength } = message
    if (message.isRecordBatch()) {
      blocks.push(new FileBlock(metadata, bodyLength, before.length + at))
    }
    at += metadata + bodyLength
  }
  const end = Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])
  const footer = Footer.encode(new Footer(schema, 4, blocks, []))
  const length = Buffer.alloc(4)
  length.writeInt32LE(footer.length)
  return Buffer.concat([before, view.subarray(0, at), end, footer, length, Buffer.from('ARROW1')])
}

function* messagesOf(stream: Uint8Array) {
  const reader = new MessageReader(stream)
  for (const message of reader) {
    yield message
    if (message.isRecordBatch()) reader.readMessageBody(message.bodyLength)
  }
}
