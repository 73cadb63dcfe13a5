/** The one door of the engine: backup, verification, restore and browsing of copies, by folders and files only. */
export {
  type ArchiveFeed,
  FEED_WINDOW_BYTES,
  FeedWindow,
  releasedBytes,
} from './archive/archive-feed.ts';
export { ArchiveArrival, type ArrivingArchive, takeNoMore, wasLost } from './archive/arriving-archive.ts';
export type { Compression } from './archive/codec.ts';
export type { CopyTotals, Entry, EntryType, SkippedItem } from './archive/entry.ts';
export { type BackupOrigin, type BackupRequest, type BackupResult, startBackup } from './backup/backup.ts';
export { namesOfCopy } from './backup/copy-names.ts';
export { type ImageSource, inspectImageSource } from './block/image-source.ts';
export {
  type BlockInspection,
  blockDeviceSize,
  inspectBlockDevice,
  shareBytes,
  wipeSignatures,
} from './block/inspect.ts';
export {
  type NewBlockStore,
  type StoreThread,
  startStoreThread,
} from './blocks/index.ts';
export { type Base, lookAtBase } from './chain/base.ts';
export type { ChainPlace } from './chain/links.ts';
export { type CleanRequest, type CleanResult, startCleaning } from './clean/clean.ts';
export { listBlockCopies, listCopies, type RemoveRequest, removeCopy, removePartials } from './copies.ts';
export { type ClientKey, COPY_CIPHERS, type CopyCipher } from './crypto/client-key.ts';
export { ensureClientKey, readClientKey } from './crypto/key-file.ts';
export type {
  DriveHealth,
  ElementKind,
  FoundChanger,
  FoundDevices,
  FoundDrive,
  LibraryDriver,
  LibraryElement,
  LoadedTape,
  MediaChanger,
  TapeDrive,
  TapeRead,
} from './device.ts';
export { elementKinds } from './device.ts';
export { DeviceError, type DeviceErrorKind } from './device-error.ts';
export type { Progress } from './job/control.ts';
export type { EngineJob, LogLine } from './job/engine-job.ts';
export type { MemoryLimit } from './job/memory-plan.ts';
export type { LogLevel } from './job/worker-group.ts';
export { type ListedItem, type ListedPage, type Manifest, openManifest } from './manifest/browse.ts';
export { readStoreId } from './manifest/store-id.ts';
export {
  type ProofFailure,
  type RestoreProofRequest,
  type RestoreProofResult,
  startRestoreProof,
} from './prove/prove.ts';
export { createLibraryDrivers, type LibraryDrivers } from './registry.ts';
export { type RepackRequest, type RepackResult, startRepack } from './repack/repack.ts';
export {
  type ImageRestoreRequest,
  type ImageRestoreResult,
  startImageRestore,
} from './restore/image-restore.ts';
export type { RestoreProblem } from './restore/problems.ts';
export { type RestoreRequest, type RestoreResult, startRestore } from './restore/restore.ts';
export { type AlertSeverity, wordsOfAlert } from './scsi/drive/tape-alert-words.ts';
export { isPortalAddress } from './scsi/iscsi/device-path.ts';
export type { IscsiPortal } from './scsi/iscsi/initiator.ts';
export { createIscsiDriver } from './scsi/iscsi/iscsi-driver.ts';
export { createLinuxScsiDriver } from './scsi/linux-scsi.ts';
export {
  type LibraryFaults,
  type LibraryState as VirtualLibraryState,
  noFaults,
} from './scsi/virtual/library-state.ts';
export {
  createVirtualLibraries,
  formatVirtualPath,
  type VirtualLibraries,
} from './scsi/virtual/virtual-driver.ts';
export {
  planSnapshot,
  removeSnapshot,
  type Snapshot,
  type SnapshotPlan,
  type SnapshotRequest,
} from './snapshot/snapshot.ts';
export type { CopyRest, FedArchive } from './tape/copy-files.ts';
export { firstPartFile, type LabelFound, readLabel, writeLabel } from './tape/label.ts';
export { openTapeCopyReader, type TapePart } from './tape/read-part.ts';
export { type ScannedPart, type ScannedTape, scanTape } from './tape/scan-tape.ts';
export type { CatalogueEntry, CopyFacts, PartTrailer, TapeLabel } from './tape/tape-content.ts';
export { type TapeCopies, tapeCopiesHere } from './tape/tape-copies.ts';
export { openTapeCopyWriter, type TapeCopyWriter, type WrittenPart } from './tape/write-part.ts';
export { startTapeThread, type TapeThread } from './tape-thread/tape-thread.ts';
export { startListTransfer } from './transfer/list-transfer.ts';
export type { CopyPlace } from './transfer/partial.ts';
export { type ProofResult, startProof } from './transfer/proof.ts';
export { startTransfer, type TransferRequest, type TransferResult } from './transfer/transfer.ts';
export { type Finding, startVerify, type VerifyRequest, type VerifyResult } from './verify/verify.ts';
