/** The options of commands that listen for clients. */
export const listenOptions = {
  host: { type: 'text', placeholder: 'ADDRESS', doc: 'address to listen on (default: 127.0.0.1)' },
  port: {
    type: 'whole',
    placeholder: 'N',
    doc: 'port to listen on; 0 selects a free one',
    min: 0,
    max: 65_535,
  },
  'allow-host': {
    type: 'texts',
    placeholder: 'NAME',
    doc: 'a host name that clients use for this server',
  },
} as const
