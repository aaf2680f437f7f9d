/** The options of commands that listen for clients. */
export const listenOptions = {
  host: { type: 'text', placeholder: 'ADDRESS', doc: 'address to listen at; 127.0.0.1 unless set' },
  port: {
    type: 'whole',
    placeholder: 'N',
    doc: 'port to listen at; 0 is one that is free',
    min: 0,
    max: 65_535,
  },
  'allow-host': {
    type: 'texts',
    placeholder: 'NAME',
    doc: 'a name by which clients call this server',
  },
} as const
