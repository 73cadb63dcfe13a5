import { createTable, type Migration } from './migration.ts';

/** iSCSI portals that media servers log in to for tape libraries. */
export const scsiPortals: Migration = {
  version: 17,
  name: 'scsi-portals',
  async up(tools) {
    await createTable(
      tools,
      'scsi_portals',
      {
        id: { type: 'identity' },
        media_server_id: { type: 'integer', references: 'media_servers.id', onDelete: 'cascade' },
        address: { type: 'text' },
        port: { type: 'integer' },
        user_name: { type: 'text', null: true },
        /** Sealed with the key in the data directory. */
        password: { type: 'text', null: true },
        created_ms: { type: 'integer' },
      },
      { unique: [['media_server_id', 'address', 'port']] },
    );
  },
};
