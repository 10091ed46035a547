const AWS = require('aws-sdk/lib/core')
AWS.S3 = require('aws-sdk/clients/s3')
AWS.Lambda = require('aws-sdk/clients/lambda')
module.exports = AWS
