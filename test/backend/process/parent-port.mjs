import { EventEmitter } from 'node:events';

// Stands in for the port that Electron gives to a utility process: the same calls, over Node's own channel.
const port = new EventEmitter();
port.postMessage = (message) => process.send(message);
process.on('message', (data) => port.emit('message', { data }));
process.on('disconnect', () => port.emit('close'));
process.parentPort = port;
