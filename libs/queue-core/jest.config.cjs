module.exports = { ...require('../../jest.preset.cjs'), displayName: 'queue-core' };
